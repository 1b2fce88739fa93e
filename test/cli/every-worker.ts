import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { threads } from "../../scripts/threads.ts";
import { temporaryFolder } from "../harness.ts";
import { startReceiver } from "../hook-receiver.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { runOctavo, type Surroundings, startOctavo } from "./octavo.ts";

type Tokens = Record<"delivery" | "management" | "access" | "images", string>;
type Ask = (path: string, type: string, send?: { method: string; body: object | FormData }) => Promise<string>;
type Question = (ask: Ask) => Promise<void>;

/** Asks each thread and each process that an octavo starts, on the sample site: none of them fails to start. */
export async function askEveryWorker(octavo: Surroundings): Promise<void> {
  refuseUnasked();
  const data = ["--data", join(temporaryFolder(), "data")];
  const onSqlite = Object.entries(questions).flatMap(([name, question]) => (name === scanner ? [] : [question]));
  await askService([...data, "--webhook-private", "on"], octavo, [sendsWebhook, ...onSqlite]);
  await runCommands(data, octavo);
  if (lacksPostgres()) return;
  // And the processes of --workers.
  const env = { ...octavo.env, OCTAVO_POSTGRES_URL: await createDatabase() };
  await askService(["--workers", "2"], { ...octavo, cwd: temporaryFolder(), env }, [questions[scanner] as Question]);
}

/** What src starts is bundled, and each bundle has a question. */
function refuseUnasked(): void {
  const root = new URL("../../src/", import.meta.url).pathname;
  const named = globSync("**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/siblingFile\(import\.meta\.url, ([^)]+)\)/g)].map(
      ([, name = ""]) => join(dirname(file), JSON.parse(name)),
    ),
  );
  assert.deepEqual([...new Set(named)].sort(), threads.toSorted());
  assert.deepEqual(Object.keys(questions).sort(), threads.toSorted());
}

/** Starts a service with the sample site, asks it, and stops it; it had nothing to report. */
async function askService(words: string[], octavo: Surroundings, asked: Question[]): Promise<void> {
  const service = await startOctavo([...words, "--demo"], octavo);
  const output = service.lines.join("\n");
  const tokens = Object.fromEntries(
    ["delivery", "management", "access", "images"].map((kind) => [
      kind,
      new RegExp(`${kind} +(oct_\\S+)`).exec(output)?.[1] ?? "",
    ]),
  ) as Tokens;
  for (const question of asked) await question(asking(service.url, tokens));
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.deepEqual(service.errors, []);
}

const asking =
  (url: string, tokens: Tokens): Ask =>
  async (path, type, send) => {
    const kind = path.startsWith("delivery/") ? "delivery" : path.startsWith("images/") ? "images" : "management";
    const headers = { Authorization: `Bearer ${tokens[kind]}`, "X-Access-Token": tokens.access };
    const isForm = send?.body instanceof FormData;
    const body = isForm ? (send.body as FormData) : JSON.stringify(send?.body);
    const reply = await fetch(`${url}/api/${path}`, {
      headers: { ...headers, ...(!isForm && { "Content-Type": "application/json" }) },
      ...(send && { method: send.method, body }),
    });
    const text = await reply.text();
    assert.equal(reply.status, 200, `${path}: ${text.slice(0, 500)}`);
    assert.ok(reply.headers.get("content-type")?.startsWith(type), path);
    return text;
  };

const write = (ask: Ask, method: string, path: string, body: object) => ask(path, "application/json", { method, body });
const read = (ask: Ask, path: string) => ask(path, "application/json");

/** A list that every entry is tested for. */
const scan = "filter[where][0][key]=title&filter[where][0][operator]=regexp&filter[where][0][value]=^al";
const scanner = "threads/postgres-scanner";

async function draws(ask: Ask, svg: string): Promise<void> {
  await ask("images/movies/solaris.jpg?w=50&fm=webp", "image/webp");
  // The placeholder, and the processes that draw SVGs.
  await read(ask, "files?id=movies/solaris.jpg&options[preview]=true");
  const form = new FormData();
  form.set("folder", "");
  form.set("file", new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>']), svg);
  await ask("files", "application/json", { method: "POST", body: form });
  await ask(`images/${svg}?w=50&fm=png`, "image/png");
}

/** By module of `threads`: what only it can answer. */
const questions: Record<string, Question> = {
  "threads/sqlite-writer": async (ask) =>
    void (await write(ask, "POST", "entries", { id: "one", data: { title: "One" } })),
  "threads/sqlite-reader": async (ask) => {
    assert.match(await read(ask, `entries?id=movies&options[collection]=true&${scan}`), /Alien/);
    const schema = { type: "object", properties: { title: { type: "number" } } };
    assert.match(await write(ask, "POST", "types/check", { id: "one", paths: ["one"], schema }), /title/);
  },
  "core/sql/engine/sqlite/checker": async (ask) =>
    assert.match(await read(ask, "stats?check=1"), /"store_checked_at":[1-9]/),
  [scanner]: async (ask) =>
    assert.match(await read(ask, `entries?id=movies&options[collection]=true&${scan}`), /Alien/),
  // The threads of short and of long texts.
  "render/prose/worker": async (ask) => {
    for (const [id, content] of [
      ["short", "*a*"],
      ["long", `*a* ${"word ".repeat(8000)}`],
    ]) {
      await write(ask, "POST", "entries", { id, data: { content } });
      assert.match(await read(ask, `delivery/entries?id=${id}&render=html`), /<em>a<\/em>/);
    }
  },
  "image/sharp/worker": (ask) => draws(ask, "own.svg"),
  "image/sharp/pipeline": (ask) => draws(ask, "other.svg"),
};

async function sendsWebhook(ask: Ask): Promise<void> {
  const receiver = await startReceiver();
  await write(ask, "POST", "webhooks", { url: receiver.url, kinds: ["entry.*"] });
  await write(ask, "POST", "entries", { id: "sent", data: { title: "Sent" } });
  await receiver.has(1);
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
