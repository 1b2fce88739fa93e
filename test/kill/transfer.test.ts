// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chores } from "../../src/chores.ts";
import { createToken } from "../../src/core/access/token.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { orLong } from "../long.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { random, seed } from "../random.ts";
import { bucketEnv, useS3 } from "../s3-server.ts";
import { start } from "./service.ts";

/** Uploads that go on while nodes and their own clients are killed. Contract, part three, §16. */

const kills = orLong(6, 100);
const makeBucket = useS3();

type Node = { data: string; env: Record<string, string>; child: ChildProcess; url: string };

const pick = random(seed);

for (const [name, count, makeEnv, skip] of [
  ["a disk", 1, async () => ({}), false],
  [
    "a bucket and PostgreSQL, by two nodes",
    2,
    async () => ({ OCTAVO_POSTGRES_URL: await createDatabase(), ...bucketEnv(await makeBucket()) }),
    lacksPostgres() ?? false,
  ],
] as const) {
  test(`uploads on ${name} are whole, made once, and leave nothing, ${kills} kills`, {
    skip,
    timeout: kills * 60_000,
  }, async () => {
    const env = (await makeEnv()) as Record<string, string>;
    const folders = Array.from({ length: count }, temporaryFolder);
    const settings = readSettings({ flags: { data: folders[0] as string }, env, file: undefined });
    const tokens = await closing(openStores(settings), makeTokens);
    const nodes = await Promise.all(
      folders.map(async (data): Promise<Node> => ({ data, env, ...(await start(data, env)) })),
    );
    let killed = 0;
    let files = 0;
    while (killed < kills) killed += await uploadOne(nodes, tokens, files++);
    for (const { child } of nodes) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    await closing(openStores(settings), async (stores) => {
      assert.equal(await stores.files.count(), files);
      const events = (await stores.events.list(0, 1000)).filter(({ kind }) => kind === "file.upload");
      assert.equal(events.length, files, "each file is made by one event");
      const chore = chores.find(({ name }) => name === "expire unfinished uploads");
      await chore?.run(stores, settings, Math.floor(Date.now() / 1000) + 25 * 3600, () => undefined);
      let left = 0;
      await stores.transferBytes.sweep(async () => {
        left++;
        return true;
      });
      assert.equal(left, 0, "bytes are left after their time");
      assert.equal(await stores.transfers.missingBytes(), 0);
      assert.deepEqual(await stores.verify(), []);
    });
  });
}

async function makeTokens(stores: Stores): Promise<Record<string, string>> {
  const make = async (kind: "management" | "access") => {
    const resources = kind === "access" ? [] : (["files"] as const);
    const input = { kind, resources: [...resources], label: kind, environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(stores.tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return { Authorization: `Bearer ${await make("management")}`, "X-Access-Token": await make("access") };
}

/** Uploads a file to its end; answers how often a node or the client was killed. */
async function uploadOne(nodes: Node[], tokens: Record<string, string>, number: number): Promise<number> {
  const bytes = Buffer.from(randomBytes(1 + pick(15_000_000)).toString("base64"));
  const headers = { ...tokens, "Tus-Resumable": "1.0.0" };
  const metadata = `filename ${Buffer.from(`f${number}.txt`).toString("base64")},on_conflict c3VmZml4`;
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const node = nodes[pick(nodes.length)] as Node;
    const response = await fetch(`${node.url}${path}`, { ...init, headers: { ...headers, ...init.headers } }).catch(
      () => undefined,
    );
    if (response && response.status >= 400)
      assert.ok(
        [409, 423, 503].includes(response.status),
        `${init.method} ${path}: ${response.status} ${await response.text()}`,
      );
    return response;
  };
  const announced = { "Upload-Length": String(bytes.length), "Upload-Metadata": metadata };
  let location: string | null | undefined;
  // A node may have lost its connections with the one that was killed.
  while (!location)
    location = (await send("/api/uploads", { method: "POST", headers: announced }))?.headers.get("location");
  const path = `/api/${location}`;
  let killed = 0;
  for (let mayKill = 2; ; ) {
    const head = await send(path, { method: "HEAD" });
    const offset = Number(head?.headers.get("upload-offset") ?? -1);
    const file = head?.headers.get("octavo-file");
    if (file) {
      assert.equal(file, `f${number}.txt`);
      const stored = await send(`/project/uploads/${file}`, {});
      assert.ok(Buffer.from((await stored?.arrayBuffer()) ?? new ArrayBuffer()).equals(bytes), "the bytes are others");
      return killed;
    }
    if (offset < 0) continue;
    assert.ok(offset < bytes.length);
    const end = pick(2) === 0 ? bytes.length : offset + 1 + pick(bytes.length - offset);
    const client = new AbortController();
    const patch = send(path, {
      method: "PATCH",
      headers: { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) },
      body: new Uint8Array(bytes.subarray(offset, end)),
      signal: client.signal,
    });
    if (mayKill-- > 0) {
      await sleep(pick(400));
      killed++;
      if (pick(5) < 2) client.abort();
      else await killNode(nodes[pick(nodes.length)] as Node);
    }
    if ((await patch)?.status === 423) await sleep(200);
  }
}

async function killNode(node: Node): Promise<void> {
  const ended = once(node.child, "exit");
  node.child.kill("SIGKILL");
  await ended;
  Object.assign(node, await start(node.data, node.env));
}
