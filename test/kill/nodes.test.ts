// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createToken, type TokenKind, type TokenResource } from "../../src/core/access/token.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { commonEnv } from "../cli/octavo.ts";
import { closing } from "../ending.ts";
import { temporaryFolder, until } from "../harness.ts";
import { orLong } from "../long.ts";
import { lacksPostgres, startPostgres } from "../postgres.ts";
import { random, seed } from "../random.ts";
import { bucketEnv, useS3 } from "../s3-server.ts";
import { type Balancer, startBalancer, startGate } from "./balancer.ts";
import { Mirror } from "./mirror.ts";

const pick = random(seed);

/**
 * Three nodes on one PostgreSQL and one bucket behind a balancer, under a mixed load: a node is killed, PostgreSQL
 * restarts after a crash, the bucket is unreachable for seconds.
 */

const bucketGoneMs = orLong(5000, 10_000);
const quietMs = orLong(1000, 2000);
const callers = 8;

describe("three nodes", { skip: lacksPostgres() ?? false }, () => {
  const makeBucket = useS3();

  test("lose no acknowledged write, and recover by themselves", { timeout: 180_000 }, async (t) => {
    const postgres = await startPostgres("durable");
    const bucket = await makeBucket();
    const gate = await startGate(bucket.endpoint);
    t.after(() => gate.close());
    const env = {
      OCTAVO_POSTGRES_URL: await postgres.createDatabase(),
      ...bucketEnv({ ...bucket, endpoint: gate.url }),
    };
    const settings = readSettings({ flags: { data: temporaryFolder() }, env, file: undefined });
    const tokens = await closing(openStores(settings), makeTokens);
    const balancer = await startBalancer();
    t.after(() => balancer.close());
    const nodes = await Promise.all([1, 2, 3].map(() => startNode(t, env, balancer)));
    await until(() => balancer.readyNodes() === 3, "three nodes are ready", 10_000);

    const load = new Load(balancer.url, tokens);
    const running = load.run();
    const mirror = new Mirror(tokens.limited);
    mirror.follow(balancer.url);
    t.after(() => load.stop());
    // If the load fails, the test fails where it awaits `running`.
    running.catch(() => undefined);
    await sleep(quietMs);
    load.enter("a node is killed");
    nodes[0]?.child.kill("SIGKILL");
    await until(() => balancer.readyNodes() === 2, "the balancer notices", 10_000);
    await sleep(1000);
    await startNode(t, env, balancer);
    await until(() => balancer.readyNodes() === 3, "a new node joins", 20_000);
    load.enter("PostgreSQL restarts");
    await postgres.kill();
    await sleep(1000);
    await postgres.start();
    await until(() => balancer.readyNodes() === 3, "the nodes are back on PostgreSQL", 30_000);
    load.enter("the bucket is unreachable");
    gate.shut();
    await sleep(bucketGoneMs);
    await gate.open();
    await until(() => balancer.readyNodes() === 3, "the nodes are back on the bucket", 30_000);
    load.enter("no outage");
    await sleep(quietMs);
    load.stop();
    await running;
    await mirror.stop();

    const report = load.report();
    assert.deepEqual(load.wrong, [], report);
    assert.equal(load.failuresIn("no outage"), 0, report);
    assert.ok(load.writesIn("no outage") > 0, report);
    await closing(openStores(settings), async (stores) => {
      await load.check(stores);
      await mirror.check(balancer.url, stores);
      assert.deepEqual(await stores.verify(), []);
    });
    t.diagnostic(report);
  });
});

// ---------------------------------------------------------------------------------------------- nodes

async function startNode(
  t: TestContext,
  env: Record<string, string>,
  balancer: Balancer,
): Promise<{ child: ChildProcess; url: string }> {
  const main = new URL("../../src/main.ts", import.meta.url).pathname;
  const args = [main, "serve", "--port", "0", "--data", temporaryFolderOf(t), "--log", "off"];
  const child = spawn(process.execPath, args, {
    // Each request refused during an outage logs an error: hundreds of lines without information.
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...commonEnv, ...env },
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
    const url = /answers on (http:\S+)/.exec(line)?.[1];
    if (!url) continue;
    balancer.nodes.add(url);
    child.once("exit", () => balancer.nodes.delete(url));
    return { child, url };
  }
  throw new Error("the node did not start");
}

function temporaryFolderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Tokens = { management: string; access: string; limited: string };

async function makeTokens(stores: Stores): Promise<Tokens> {
  const make = async (kind: TokenKind, resources: TokenResource[], limitCalls = 0) => {
    const input = { kind, resources, label: "", environment: "", limitCalls, expiresAt: null };
    return (await createToken(stores.tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return {
    management: await make("management", ["entries", "files", "folders"]),
    access: await make("access", []),
    limited: await make("delivery", ["entries"], 1_000_000),
  };
}

// ---------------------------------------------------------------------------------------------- the load

/** A write is visible on other nodes after this time. Contract §2. */
const knownAfterMs = 2000;

class Load {
  /** Replies that are wrong even during an outage. */
  readonly wrong: string[] = [];
  private readonly url: string;
  private readonly tokens: Tokens;
  private readonly entries = new Map<string, { title: string; atMs: number }>();
  private readonly files = new Map<string, string>();
  private readonly phases = new Map<string, { done: number; writes: number; failures: Map<string, number> }>();
  private phase = "at first";
  private granted = 0;
  private isOver = false;

  constructor(url: string, tokens: Tokens) {
    this.url = url;
    this.tokens = tokens;
    this.enter(this.phase);
  }

  enter(phase: string): void {
    this.phase = phase;
    this.phases.set(phase, { done: 0, writes: 0, failures: new Map() });
  }

  stop(): void {
    this.isOver = true;
  }

  failuresIn(phase: string): number {
    return [...(this.phases.get(phase)?.failures.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  writesIn(phase: string): number {
    return this.phases.get(phase)?.writes ?? 0;
  }

  report(): string {
    const line = ([phase, { done, writes, failures }]: [string, ReturnType<typeof this.phaseNow>]) =>
      `${phase}: ${done} done, ${writes} of them writes; ${[...failures].map((pair) => pair.join(" × ")).join(", ") || "none failed"}`;
    return [...this.phases].map(line).join("\n");
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: callers }, (_, caller) => this.call(caller)));
  }

  /** Every acknowledged write is stored. */
  async check(stores: Stores): Promise<void> {
    // How many is the machine's; that some of each were written is the test's.
    assert.ok(this.entries.size > 20 && this.files.size > 3, `entries ${this.entries.size}, files ${this.files.size}`);
    for (const [id, { title }] of this.entries) {
      const entry = await stores.entries.find(id as Slug);
      assert.equal(JSON.parse(entry?.data ?? "{}").title, title, `${id} was lost`);
    }
    for (const [path, text] of this.files) {
      const file = await stores.files.find(path as Path);
      assert.ok(file, `${path} was lost`);
      const bytes = await stores.blobs.open(file.hash, file.size);
      assert.equal(Buffer.from(bytes as Uint8Array).toString(), text);
    }
    const limited = (await stores.tokens.list()).find(({ limitCalls }) => limitCalls > 0);
    assert.ok((limited?.calls ?? 0) >= this.granted, "a counted call was lost");
  }

  private async call(caller: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const id = `c${caller}/e${n}`;
      if (await this.write(id, "POST", `${id} first`)) {
        await this.read(id);
        if (n % 3 === 0) await this.write(id, "PATCH", `${id} second`);
      }
      if (n % 4 === 0) await this.upload(caller, n);
      if (n % 5 === 0) await this.countOne();
      await this.list(caller);
      await this.readAny();
    }
  }

  private phaseNow() {
    return this.phases.get(this.phase) as { done: number; writes: number; failures: Map<string, number> };
  }

  /** The reply, or undefined for a failure that is allowed during an outage; these are counted. */
  private async send(path: string, init: RequestInit = {}): Promise<{ status: number; text: string } | undefined> {
    const phase = this.phaseNow();
    const fail = (what: string) => void phase.failures.set(what, (phase.failures.get(what) ?? 0) + 1);
    try {
      const reply = await fetch(this.url + path, { ...init, signal: AbortSignal.timeout(60_000) });
      const text = await reply.text();
      if (reply.status !== 503) {
        phase.done++;
        return { status: reply.status, text };
      }
      if (!reply.headers.get("retry-after")) this.wrong.push(`503 without Retry-After: ${path}`);
      fail(`503 ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`);
    } catch (error) {
      // The killed node closed the connection, and the balancer the client's.
      if (this.phase !== "a node is killed") this.wrong.push(`${this.phase}: ${path}: ${error}`);
      fail("cut");
    }
    return undefined;
  }

  private async write(id: string, method: string, title: string): Promise<boolean> {
    // During a write both states are valid; a write without a reply may be stored.
    const before = this.entries.get(id);
    this.entries.delete(id);
    const { management: token, access: access_token } = this.tokens;
    const body = JSON.stringify({ token, access_token, id, data: { title, tags: ["a", "b"], n: title.length } });
    const reply = await this.send("/api/entries", { method, headers: { "Content-Type": "application/json" }, body });
    if (!reply) return false;
    // A failed update leaves the previous state.
    if (reply.status !== 200) {
      this.wrong.push(`${method} ${id}: ${reply.status} ${reply.text}`);
      if (before) this.entries.set(id, before);
      return false;
    }
    this.entries.set(id, { title, atMs: performance.now() });
    this.phaseNow().writes++;
    return true;
  }

  private async read(id: string): Promise<void> {
    const known = this.entries.get(id);
    const sentAtMs = performance.now();
    const reply = await this.send(`/api/entries?id=${id}&token=${this.tokens.management}`);
    if (!reply || !known || this.entries.get(id) !== known || sentAtMs - known.atMs < knownAfterMs) return;
    if (reply.status !== 200 || JSON.parse(reply.text).data.title !== known.title) {
      this.wrong.push(`${id} should be ${known.title}: ${reply.status} ${reply.text}`);
    }
  }

  private async readAny(): Promise<void> {
    const ids = [...this.entries.keys()];
    const id = ids[pick(ids.length)];
    if (id) await this.read(id);
  }

  private async list(caller: number): Promise<void> {
    const filter = "filter[where][key]=tags&filter[where][expr]=eq&filter[where][value]=a&filter[limit]=5";
    const reply = await this.send(`/api/entries?id=c${caller}&${filter}&token=${this.tokens.management}`);
    if (reply && reply.status !== 200 && reply.status !== 404) this.wrong.push(`list: ${reply.status} ${reply.text}`);
  }

  private async upload(caller: number, n: number): Promise<void> {
    const form = new FormData();
    const { management: token, access: access_token } = this.tokens;
    for (const [name, value] of Object.entries({ token, access_token, folder: `c${caller}` })) form.append(name, value);
    const text = `text ${caller} ${n}`;
    form.append("file", new Blob([text]), `f${n}.txt`);
    const reply = await this.send("/api/files", { method: "POST", body: form });
    if (!reply) return;
    if (reply.status !== 200) return void this.wrong.push(`upload: ${reply.status} ${reply.text}`);
    this.files.set(`c${caller}/f${n}.txt`, text);
    this.phaseNow().writes++;
    const read = await this.send(`/project/uploads/c${caller}/f${n}.txt`);
    // Another node may not see the file yet, but never other bytes.
    if (read?.status === 200 && read.text !== text) this.wrong.push(`other bytes: ${read.text}`);
  }

  private async countOne(): Promise<void> {
    const reply = await this.send(`/api/entries?id=none&token=${this.tokens.limited}`);
    if (reply?.status === 404) this.granted++;
  }
}
