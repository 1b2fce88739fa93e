// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createToken } from "../../src/core/access/token.ts";
import type { Path } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { random, seed } from "../random.ts";
import { killDuring, rounds, start } from "./service.ts";

const pick = random(seed);
/** A service is killed at a random moment after these, so that there is something to lose. */
const repliesBeforeKill = 6;

/** The acknowledged state by path: the version of the file, or null if it is deleted. */
type Acknowledged = Map<string, string | null>;
type Tokens = { management: string; access: string };

test(`kill -9 during uploads, moves, copies and deletes loses no acknowledged file, ${rounds} times`, {
  timeout: rounds * 20_000,
}, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  const tokens = await closing(openStores(settings), makeTokens);
  const acknowledged: Acknowledged = new Map();
  let replies = 0;
  for (let round = 0; round < rounds; round++) {
    replies += await workUntilKilled(data, tokens, round, acknowledged);
    await closing(openStores(settings), (stores) => check(stores, acknowledged));
  }
  assert.ok(replies >= rounds * repliesBeforeKill, `only ${replies} writes were acknowledged`);
  await checkTree(data, acknowledged);
});

async function makeTokens(stores: Stores): Promise<Tokens> {
  const make = async (kind: "management" | "access") => {
    const resources = kind === "access" ? [] : (["files", "folders"] as const);
    const input = { kind, resources: [...resources], label: kind, environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(stores.tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return { management: await make("management"), access: await make("access") };
}

/** Starts a server, writes with concurrent clients, kills it at a random moment. Answers the number of acknowledged writes. */
async function workUntilKilled(
  data: string,
  tokens: Tokens,
  round: number,
  acknowledged: Acknowledged,
): Promise<number> {
  const { child, url } = await start(data);
  const headers = { Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access };
  let isOver = false;
  let replies = 0;
  /** The replied object, or undefined if the server was killed. */
  const send = async (method: string, path: string, body: FormData | URLSearchParams) => {
    const response = await fetch(`${url}${path}`, { method, headers, body }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (text === undefined || isOver) return undefined;
    assert.ok(response?.ok, `${method} ${path}: ${text}`);
    replies++;
    return { version: text === "" ? "" : (JSON.parse(text).data.version as string) };
  };
  const change = (method: string, path: string, args: Record<string, string>) =>
    send(method, path, new URLSearchParams(args));
  // During a change both states are valid: the paths are omitted until the reply.
  const forget = (...paths: string[]) => {
    for (const path of paths) acknowledged.delete(path);
  };

  const worker = async (name: number): Promise<void> => {
    const top = `r${round}/w${name}`;
    for (let n = 0; !isOver; n++) {
      const file = `${top}/d${n}/f.txt`;
      const form = new FormData();
      form.set("folder", `${top}/d${n}`);
      // Some have the same bytes as files of other workers.
      const text = n % 4 === 0 ? `shared ${n}` : randomBytes(1 + pick(200_000)).toString("base64");
      form.set("file", new File([text], "f.txt"));
      const made = await send("POST", "/api/files", form);
      if (!made) return;
      const { version } = made;
      acknowledged.set(file, version);
      if (n % 5 === 1) {
        forget(file);
        const moved = { path: file, new_path: `${top}/moved/${n}.txt` };
        if (!(await change("PUT", "/api/files", moved))) return;
        acknowledged.set(file, null).set(moved.new_path, version);
      } else if (n % 5 === 2) {
        if (!(await change("PUT", "/api/folders/copy", { path: `${top}/d${n}`, new_path: `${top}/c${n}` }))) return;
        acknowledged.set(`${top}/c${n}/f.txt`, version);
      } else if (n % 5 === 3) {
        forget(file);
        if (!(await change("PUT", "/api/folders", { path: `${top}/d${n}`, new_path: `${top}/deep/${n}/m` }))) return;
        acknowledged.set(file, null).set(`${top}/deep/${n}/m/f.txt`, version);
      } else if (n % 5 === 4) {
        forget(file);
        if (!(await change("DELETE", "/api/files", { path: file }))) return;
        acknowledged.set(file, null);
      }
    }
  };
  const work = Promise.all(Array.from({ length: 6 }, (_, name) => worker(name)));
  const isUnderWay = () => replies >= repliesBeforeKill;
  await killDuring(child, work, isUnderWay, () => {
    isOver = true;
  });
  return replies;
}

async function check(stores: Stores, acknowledged: Acknowledged): Promise<void> {
  assert.deepEqual(await stores.verify(), []);
  for (const [path, version] of acknowledged) {
    const file = await stores.files.find(path as Path);
    if (version === null) assert.equal(file, undefined, `${path} is back`);
    else assert.ok(file?.hash.startsWith(version), `${path} was lost`);
  }
}

/** After another start the tree has every file, and no temporary file is left. */
async function checkTree(data: string, acknowledged: Acknowledged): Promise<void> {
  const { child } = await start(data);
  const isThere = (path: string) => existsSync(join(data, "uploads", path));
  const left = () => readdirSync(join(data, "tmp"));
  const isTree = () => [...acknowledged].every(([path, version]) => isThere(path) === (version !== null));
  const isRight = () => isTree() && left().length === 0;
  for (let waited = 0; waited < 10_000 && !isRight(); waited += 50) await new Promise((done) => setTimeout(done, 50));
  for (const [path, version] of acknowledged) assert.equal(isThere(path), version !== null, path);
  for (const [path, version] of acknowledged) {
    if (version !== null) assert.ok(statSync(join(data, "uploads", path)).size > 0);
  }
  assert.deepEqual(left(), []);
  child.kill("SIGTERM");
  await once(child, "exit");
}
