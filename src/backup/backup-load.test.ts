// Long: it loads services while it backs them up.
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { envOf, type Place, settingsOf } from "../../test/cli/answers.ts";
import { runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { atEnd, closing } from "../../test/ending.ts";
import { temporaryFolder, until } from "../../test/harness.ts";
import { orLong } from "../../test/long.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import type { Path, Slug } from "../core/path.ts";
import { openStores, type Stores } from "../stores.ts";

/**
 * Backups while a service writes as fast as it can. The writers keep invariants that a backup of two moments would
 * break. Each backup is restored to another store, and the invariants are checked there.
 */

const folder = temporaryFolder();
const octavo = (words: string[], place: Place) => runOctavo(words, { cwd: folder, env: envOf(place) });

type Tokens = { token: string; access_token: string };

async function makeTokens(place: Place): Promise<Tokens> {
  const make = async (...words: string[]) => {
    const { code, out, err } = await octavo(["token", "create", ...words, "--json"], place);
    assert.equal(code, 0, err);
    return JSON.parse(out).token as string;
  };
  const resources = "entries,files,folders,registry";
  return {
    token: await make("--kind", "management", "--resources", resources),
    access_token: await make("--kind", "access"),
  };
}

class Writers {
  writes = 0;
  private readonly url: string;
  private readonly tokens: Tokens;
  private isOver = false;
  private readonly running: Promise<void>[] = [];

  constructor(url: string, tokens: Tokens) {
    this.url = url;
    this.tokens = tokens;
  }

  async send(method: string, path: string, body: object): Promise<void> {
    const headers = { "Content-Type": "application/json" };
    const text = JSON.stringify({ ...this.tokens, ...body });
    const reply = await fetch(`${this.url}${path}`, { method, headers, body: text });
    assert.ok(reply.ok, `${method} ${path}: ${await reply.text()}`);
    this.writes++;
  }

  async upload(path: string, text: string): Promise<void> {
    const form = new FormData();
    const [name = "", ...above] = path.split("/").reverse();
    const fields = { ...this.tokens, folder: above.reverse().join("/"), on_conflict: "replace" };
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set("file", new File([text], name));
    const reply = await fetch(`${this.url}/api/files`, { method: "POST", body: form });
    assert.ok(reply.ok, await reply.text());
    this.writes++;
  }

  /** Repeats the step with 1, 2, 3 … */
  repeat(step: (n: number) => Promise<void>): void {
    const run = async () => {
      for (let n = 1; !this.isOver; n++) await step(n);
    };
    const running = run();
    // The test awaits it at the end.
    running.catch(() => undefined);
    this.running.push(running);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }
}

const trees = 6;
const children = 12;
const text = (n: number): string => `file ${n} `.repeat(3000 + (n % 50) * 100);

/** So many rows that reading them takes as long as many writes: without a snapshot the nouns would be of two moments. */
async function pad(place: Place): Promise<void> {
  const input = { data: JSON.stringify({ text: "x".repeat(4000) }), isMergePatch: false, fields: {} };
  const count = orLong(1500, 5000);
  await closing(openStores(settingsOf(place)), async ({ entries }) => {
    const create = (n: number) => entries.create(`m/${n}` as Slug, input, { actor: "test", nowSeconds: 1 });
    for (let n = 0; n < count; n += 250) await Promise.all(Array.from({ length: 250 }, (_, i) => create(n + i)));
  });
}

async function plant(writers: Writers): Promise<void> {
  const put = (id: string) => writers.send("POST", "/api/entries", { id, data: { n: 0 } });
  await put("a-first");
  await put("z-last");
  for (let tree = 0; tree < trees; tree++) {
    await put(`left/t${tree}`);
    for (let child = 0; child < children; child++) await put(`left/t${tree}/c${child}`);
  }
  for (let n = 0; n < 150; n++) await writers.upload(`kept/f${n}.txt`, text(n));
}

function write(writers: Writers): void {
  // In sequence: later writes are never ahead.
  writers.repeat(async (n) => {
    await writers.send("PATCH", "/api/entries", { id: "a-first", data: { n } });
    await writers.send("PUT", "/api/registry", { id: "counter", value: n });
    await writers.upload("counter.txt", `${n}`);
    await writers.send("PATCH", "/api/entries", { id: "z-last", data: { n } });
  });
  // Moves of whole subtrees.
  for (let tree = 0; tree < trees; tree++) {
    writers.repeat(async (n) => {
      const [from, to] = n % 2 ? ["left", "right"] : ["right", "left"];
      await writers.send("PUT", "/api/entries", { id: `${from}/t${tree}`, new_id: `${to}/t${tree}` });
    });
  }
  // A folder that always has two files with the same bytes, and files that are created and deleted.
  writers.repeat(async (n) => {
    await writers.upload(`twins${n}/one.txt`, text(n));
    await writers.send("PUT", "/api/folders/copy", { path: `twins${n}`, new_path: `copies/${n}` });
    if (n > 3) await writers.send("DELETE", "/api/files", { path: `copies/${n - 3}/one.txt` });
  });
  writers.repeat(async (n) => {
    await writers.upload(`gone/f${n}.txt`, `only ${n} `.repeat(2000));
    await writers.send("DELETE", "/api/files", { path: `gone/f${n}.txt` });
  });
}

/** The invariants of the source. */
async function check(stores: Stores): Promise<number> {
  const numberOf = async (slug: string) =>
    JSON.parse((await stores.entries.find(slug as Slug))?.data ?? "{}").n as number;
  const first = await numberOf("a-first");
  const last = await numberOf("z-last");
  const [item] = await stores.registry.listBelow("counter");
  const file = await stores.files.find("counter.txt" as Path);
  const written = file ? Number(Buffer.from((await stores.blobs.open(file.hash, file.size)) as Uint8Array)) : 0;
  const steps = [first, Number(item?.value ?? 0), written, last];
  assert.deepEqual(
    steps.toSorted((a, b) => b - a),
    steps,
    `${steps}`,
  );
  assert.ok(first - last <= 1, `${steps}`);
  for (let tree = 0; tree < trees; tree++) {
    const found = await Promise.all(["left", "right"].map((side) => stores.entries.find(`${side}/t${tree}` as Slug)));
    assert.equal(found.filter(Boolean).length, 1, `tree ${tree} is in one place`);
    const side = found[0] ? "left" : "right";
    for (let child = 0; child < children; child++) {
      assert.ok(await stores.entries.find(`${side}/t${tree}/c${child}` as Slug), `${side}/t${tree}/c${child}`);
    }
  }
  // One subtree's rows have one revision: that of its last move.
  const { newest } = await stores.events.bounds();
  assert.ok(first <= newest);
  return newest;
}

const rounds = orLong(2, 3);

async function backUpUnderLoad(place: Place, restored: (round: number) => Promise<Place>): Promise<void> {
  await pad(place);
  const tokens = await makeTokens(place);
  const service = await startOctavo([], { cwd: folder, env: envOf(place) });
  const writers = new Writers(service.url, tokens);
  // Always; later errors of the writers are ignored.
  atEnd(() => writers.end().catch(() => undefined));
  await plant(writers);
  write(writers);
  const newest: number[] = [];
  const files = Array.from({ length: rounds }, (_, round) =>
    join(folder, `${place.postgresUrl ? "p" : "s"}${round}.tar`),
  );
  for (const file of files) {
    const before = writers.writes;
    const { code, err } = await octavo(["backup", file], place);
    assert.equal(code, 0, err);
    assert.ok(writers.writes > before + 20, `${writers.writes - before} writes meanwhile`);
  }
  await writers.end();
  assert.equal(await service.stop("SIGTERM"), 0);
  for (const [round, file] of files.entries()) {
    const target = await restored(round);
    const { code, out, err } = await octavo(["restore", file, "--json"], target);
    assert.equal(code, 0, `${out} ${err}`);
    newest.push(await closing(openStores(settingsOf(target)), check));
  }
  assert.deepEqual(
    newest,
    newest.toSorted((a, b) => a - b),
  );
  assert.ok((newest.at(-1) as number) > (newest[0] as number), "the backups are of different moments");
}

const onDisk = (name: string): Place => ({ data: join(folder, name) });

test("SQLite: a backup under full write load is a consistent snapshot with all bytes", { timeout: 120_000 }, () =>
  backUpUnderLoad(onDisk("source"), async (round) => onDisk(`restored${round}`)),
);

test("PostgreSQL: a backup under full write load is a consistent snapshot with all bytes", {
  timeout: 120_000,
  skip: lacksPostgres(),
}, async () => {
  const place = { data: join(folder, "postgres"), postgresUrl: await createDatabase() };
  await backUpUnderLoad(place, async (round) => onDisk(`moved${round}`));
});

const count = 120;

/** While the backup copies blobs, deletes the folder of their files, and sweeps without any grace. */
async function sweepWhileBackedUp(place: Place, target: Place): Promise<void> {
  const file = `${target.data}.tar`;
  await closing(openStores(settingsOf(place)), async (stores) => {
    const put = (n: number) => putFile(stores, "all", `f${n}.txt`, text(n).repeat(10));
    await Promise.all(Array.from({ length: count }, (_, n) => put(n)));
    const backup = octavo(["backup", file, "--json"], place);
    const copied = () => statSync(`${file}.partial`, { throwIfNoEntry: false })?.size ?? 0;
    backup.catch(() => undefined);
    await until(() => copied() >= 1_000_000, "the backup does not grow");
    await stores.folders.delete("all" as Path, { to: "trash" }, { actor: "", nowSeconds: 1 });
    const sweep = async () => void (await stores.ledger.sweep(Number.MAX_SAFE_INTEGER));
    const hasSwept = await stores.alone("chores", sweep);
    assert.ok(existsSync(`${file}.partial`), "the backup was still under way");
    assert.equal(hasSwept, false);
    const { code, out, err } = await backup;
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).blobs.count, count);
    assert.equal(await stores.alone("chores", sweep), true);
  });
  assert.equal((await octavo(["restore", file], target)).code, 0);
}

test("SQLite: a sweep without a grace period removes no bytes from a backup", () =>
  sweepWhileBackedUp(onDisk("swept"), onDisk("swept-to")));

test("PostgreSQL: a sweep without a grace period removes no bytes from a backup", {
  skip: lacksPostgres(),
}, async () => {
  const place = { data: join(folder, "swept-p"), postgresUrl: await createDatabase() };
  await sweepWhileBackedUp(place, onDisk("swept-p-to"));
});

async function putFile(stores: Stores, folderPath: string, name: string, content: string): Promise<void> {
  const bytes = (async function* () {
    yield Buffer.from(content);
  })();
  const staged = await stores.blobs.stage(bytes, 1e9);
  const { hash, size } = staged;
  const { generation } = await stores.ledger.keep(hash, size, 1);
  await stores.blobs.put(staged);
  await staged.discard();
  const input = {
    name,
    onConflict: "fail",
    title: undefined,
    description: undefined,
  } as const;
  const made = await stores.files.put(
    folderPath as Path,
    { ...input, type: "text/plain", hash, generation, size, image: undefined },
    { actor: "test", nowSeconds: 1 },
  );
  assert.ok(made);
}
