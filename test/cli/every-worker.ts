import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../harness.ts";
import { startReceiver } from "../hook-receiver.ts";
import { runOctavo, type Surroundings, startOctavo } from "./octavo.ts";

type Tokens = Record<"delivery" | "management" | "access" | "images", string>;
type Ask = (path: string, type: string, send?: { method: string; body: object }) => Promise<string>;

/** Asks each thread and each process that an octavo starts, on the sample site: none of them fails to start. */
export async function askEveryWorker(octavo: Surroundings): Promise<void> {
  const data = ["--data", join(temporaryFolder(), "data")];
  const service = await startOctavo([...data, "--demo", "--webhook-private", "on"], octavo);
  const output = service.lines.join("\n");
  const tokens = Object.fromEntries(
    ["delivery", "management", "access", "images"].map((kind) => [
      kind,
      new RegExp(`${kind} +(oct_\\S+)`).exec(output)?.[1] ?? "",
    ]),
  ) as Tokens;
  await askService(asking(service.url, tokens));
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.deepEqual(service.errors, []);
  await runCommands(data, octavo);
}

const asking =
  (url: string, tokens: Tokens): Ask =>
  async (path, type, send) => {
    const kind = path.startsWith("delivery/") ? "delivery" : path.startsWith("images/") ? "images" : "management";
    const headers = { Authorization: `Bearer ${tokens[kind]}`, "X-Access-Token": tokens.access };
    const json = send && { method: send.method, body: JSON.stringify(send.body) };
    const reply = await fetch(`${url}/api/${path}`, {
      headers: { ...headers, "Content-Type": "application/json" },
      ...json,
    });
    const text = await reply.text();
    assert.equal(reply.status, 200, `${path}: ${text.slice(0, 500)}`);
    assert.ok(reply.headers.get("content-type")?.startsWith(type), path);
    return text;
  };

async function askService(ask: Ask): Promise<void> {
  const write = (method: string, path: string, body: object) => ask(path, "application/json", { method, body });
  const read = (path: string) => ask(path, "application/json");
  const receiver = await startReceiver();
  await write("POST", "webhooks", { url: receiver.url, kinds: ["entry.*"] });
  // The writer's thread; the threads of short and of long texts.
  await write("POST", "entries", { id: "short", data: { title: "Short", content: "*a*" } });
  await write("POST", "entries", { id: "long", data: { title: "Long", content: `*a* ${"word ".repeat(8000)}` } });
  for (const id of ["short", "long"]) assert.match(await read(`delivery/entries?id=${id}&render=html`), /<em>a<\/em>/);
  await receiver.has(1);
  // A drawing process, for a picture and for a placeholder.
  await ask("images/movies/solaris.jpg?w=50&fm=webp", "image/webp");
  await read("files?id=movies/solaris.jpg&options[preview]=true");
  // The threads of readers.
  assert.match(await read("entries?id=movies&options[collection]=true&filter[search]=Alien"), /Alien/);
  const scan = "filter[where][0][key]=title&filter[where][0][operator]=regexp&filter[where][0][value]=^al";
  assert.match(await read(`entries?id=movies&options[collection]=true&${scan}`), /Alien/);
  const type = { id: "short", paths: ["short"], schema: { type: "object", properties: { title: { type: "number" } } } };
  assert.match(await write("POST", "types/check", type), /title/);
  // The process that checks the database.
  await read("stats?check=1");
}

async function runCommands(data: string[], octavo: Surroundings): Promise<void> {
  const file = join(temporaryFolder(), "backup.tar");
  const restored = join(temporaryFolder(), "data");
  for (const words of [
    ["backup", file, ...data],
    ["restore", file, "--data", restored],
    ["verify", "--data", restored],
    ["doctor", ...data],
  ]) {
    const { code, out, err } = await runOctavo(words, octavo);
    assert.equal(code, 0, `${words.join(" ")}: ${out}${err}`);
  }
}
