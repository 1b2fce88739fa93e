import assert from "node:assert/strict";
import { cpSync, readdirSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { verifyNoun } from "../../src/backup/verify-store.ts";
import { type BlobLedger, verifyBlobs } from "../../src/core/bytes/blob.ts";
import { BlobFolder, removeBlobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { Staging } from "../../src/core/bytes/disk/staging.ts";
import type { Json } from "../../src/core/lib/json.ts";
import type { Path } from "../../src/core/path.ts";
import { Problem, problem } from "../../src/core/problem.ts";
import { findBlob, listBlobs, sizeOfBlobs } from "../../src/core/sql/blob.ts";
import { danglingRows, fileFaults, migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../../src/core/sql/index/key-number.ts";
import { scanning } from "../../src/core/sql/scans.ts";
import type { Row, Value } from "../../src/core/sql/sql.ts";
import { type Done, Writer } from "../../src/core/sql/writes.ts";
import type { FileStore } from "../../src/file/file.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { allNouns } from "../../src/nouns.ts";
import { uploadFile } from "../../src/upload/upload.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { at, bytesOf, openUploads, rules } from "./uploads.ts";

const scanOptions = {
  pageBytes: 1e6,
  scanBudgetMs: { delivery: 60_000, management: 60_000 },
  regexpBudgetMs: 100,
  indexKeys: ["*"],
};

/** The faults that octavo verify finds in the rows and indexes. */
const faultsOf = (sqlite: Sqlite): Promise<string[]> =>
  (verifyNoun.scans as NonNullable<typeof verifyNoun.scans>).verifyStore(
    scanning(allNouns, sqlite, scanOptions, new KeyNumbers()),
    ["rows", "indexes"],
  );

/** Counts calls of disk and database together. Call `failAt` fails; after a crash all later calls fail, too. */
class Faults {
  calls = 0;
  failAt = Number.POSITIVE_INFINITY;
  isCrash = false;
  error: () => unknown = () => Object.assign(new Error("disk I/O error, on purpose"), { code: "EIO" });

  next(): void {
    this.calls++;
    if (this.calls === this.failAt || (this.isCrash && this.calls > this.failAt)) {
      throw this.error();
    }
  }
}

function failingDisk(faults: Faults): Disk {
  const handle = (real: FileHandle): FileHandle =>
    new Proxy(real, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        const call = member.bind(target);
        // close(2) is not counted: the kernel releases the file whatever it returns.
        if (!["writev", "read", "sync"].includes(String(name))) return call;
        return async (...args: unknown[]) => {
          faults.next();
          return call(...args);
        };
      },
    });
  const entries = Object.keys(nodeDisk).map((name) => {
    const call = nodeDisk[name as keyof Disk] as (...args: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...args: unknown[]) => {
        faults.next();
        const result = await call(...args);
        return name === "open" ? handle(result as FileHandle) : result;
      },
    ];
  });
  return Object.fromEntries(entries) as Disk;
}

class FailingSqlite extends Sqlite {
  readonly faults: Faults;

  constructor(folder: string, faults: Faults) {
    super({ folder, busyTimeoutMs: 5000 }, "write");
    this.faults = faults;
  }

  override rows(text: string, ...values: Value[]): Row[] {
    this.faults.next();
    return super.rows(text, ...values);
  }

  override row(text: string, ...values: Value[]): Row | undefined {
    this.faults.next();
    return super.row(text, ...values);
  }

  override run(text: string, ...values: Value[]): number {
    this.faults.next();
    return super.run(text, ...values);
  }

  override exec(text: string): void {
    // SQLite rolls back by itself when the connection ends.
    if (text !== "ROLLBACK") this.faults.next();
    super.exec(text);
  }
}

/** Runs one write at a time, each in a group of its own. */
const callerOf =
  (writer: Writer) =>
  async (name: string, ...args: unknown[]): Promise<never> => {
    const [reply] = await writer.run([{ id: 1, name, args }]);
    if (reply && "value" in reply) return (reply.value as Done<never>).value;
    if (reply && "problem" in reply) throw new Problem(reply.problem.code, reply.problem.params);
    throw new Error(reply?.error);
  };

/** The stores of an upload in this thread, all of whose calls can fail. */
function failingStores(folder: string, faults: Faults) {
  const disk = failingDisk(faults);
  const sqlite = new FailingSqlite(folder, faults);
  const staging = new Staging(join(folder, "tmp"), disk);
  const blobs = new BlobFolder(join(folder, "blobs"), staging, 0, disk);
  const writer = new Writer(allNouns, sqlite, ["*"], (hash) => removeBlobFile(blobs.folder, hash));
  const call = callerOf(writer);
  const ledger = {
    keep: (...args: unknown[]) => call("keepBlob", ...args),
    drop: (hash: string, keptSeconds: number) => call("sweepBlob", hash, keptSeconds + 1),
  } as unknown as BlobLedger;
  const files = { put: (...args: unknown[]) => call("putFile", ...args) } as unknown as FileStore;
  const upload = async (folderPath: string, name: string, text: string) => {
    const staged = await blobs.stage(bytesOf(text), 1e9);
    try {
      const defaults = { title: undefined, description: undefined, onConflict: "replace" } as const;
      const request = { ...defaults, folder: folderPath as Path, fileName: name };
      return await uploadFile({ files, ledger, blobs }, staged, request, rules, at(1000));
    } finally {
      await staged.discard();
    }
  };
  return { upload, call, close: () => sqlite.close() };
}

/** Lets call N of the work fail, for N = 1, 2, 3 … until the work succeeds; checks the store after each. */
async function failEachCall(
  work: (stores: ReturnType<typeof failingStores>) => Promise<unknown>,
  check: (folder: string, isDone: boolean) => Promise<void>,
  isCrash: boolean,
): Promise<number> {
  const template = await prepare();
  for (let failAt = 1; failAt < 500; failAt++) {
    const folder = temporaryFolder();
    cpSync(template, folder, { recursive: true });
    const faults = new Faults();
    const isDone = await closing(failingStores(folder, faults), (stores) => {
      Object.assign(faults, { calls: 0, failAt, isCrash });
      return work(stores)
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          faults.failAt = Number.POSITIVE_INFINITY;
        });
    });
    const reached = faults.calls;
    await check(folder, isDone);
    if (isDone && reached < failAt) return failAt - 1;
  }
  throw new Error("the work does not succeed");
}

async function prepare(): Promise<string> {
  const folder = temporaryFolder();
  const uploads = await openUploads(folder);
  await uploads.upload("docs/kept.txt", "kept");
  await uploads.upload("docs/replaced.txt", "old");
  await uploads.upload("docs/deep/below.txt", "below");
  await uploads.store.close();
  return folder;
}

/** The content of each file by path; the store must be consistent. */
async function contents(folder: string): Promise<Record<string, string>> {
  const options = { folder, busyTimeoutMs: 5000 };
  return closing(new Sqlite(options, "write"), async (sqlite) => {
    const blobs = new BlobFolder(join(folder, "blobs"), new Staging(join(folder, "tmp")), 0);
    const ledger = {
      find: (hash: string) => findBlob(sqlite, hash),
      list: (after: string, limit: number) => listBlobs(sqlite, after, limit),
      size: () => sizeOfBlobs(sqlite),
    } as unknown as BlobLedger;
    assert.deepEqual([...fileFaults(options, "integrity_check"), ...danglingRows(sqlite)], []);
    assert.deepEqual([...(await faultsOf(sqlite)), ...(await verifyBlobs(ledger, blobs))], []);
    const files = "SELECT folder.path || '/' || name, blob, size FROM file JOIN folder ON folder.id = file.folder";
    const found: Record<string, string> = {};
    for (const [path, hash, size] of sqlite.rows(files) as [string, string, number][]) {
      found[path] = Buffer.from((await blobs.open(hash, size)) as Uint8Array).toString();
    }
    return found;
  });
}

const before = { "docs/kept.txt": "kept", "docs/replaced.txt": "old", "docs/deep/below.txt": "below" };

test("an upload with one failing disk or database call leaves the store unchanged and no temporary file", async () => {
  const calls = await failEachCall(
    ({ upload }) => upload("docs", "replaced.txt", "new"),
    async (folder, isDone) => {
      const after = { ...before, "docs/replaced.txt": isDone ? "new" : "old" };
      assert.deepEqual(await contents(folder), after);
      // If the removal of a temporary file failed, the next cleanup removes it.
      if (isDone) await new Staging(join(folder, "tmp")).tidy(Date.now() + 25 * 3600 * 1000);
      assert.deepEqual(readdirSync(join(folder, "tmp")), []);
    },
    false,
  );
  assert.ok(calls > 20, `only ${calls} calls failed`);
});

test("an upload that dies at any call leaves the store unchanged", async () => {
  await failEachCall(
    ({ upload }) => upload("new/folder", "file.txt", "new"),
    async (folder, isDone) => {
      assert.deepEqual(await contents(folder), isDone ? { ...before, "new/folder/file.txt": "new" } : before);
    },
    true,
  );
});

test("a move of a folder with one failing call moves everything or nothing", async () => {
  for (const isCrash of [false, true]) {
    const calls = await failEachCall(
      ({ call }) => call("moveFolder", "docs", { newPath: "there/now" }, at(2000)),
      async (folder, isDone) => {
        const moved = Object.entries(before).map(([path, text]) => [path.replace("docs", "there/now"), text]);
        assert.deepEqual(await contents(folder), isDone ? Object.fromEntries(moved) : before);
      },
      isCrash,
    );
    assert.ok(calls > 10, `only ${calls} calls failed`);
  }
});

/** A database failure rolls back the whole group of writes, a refusal only its own write. */
const undoing = {
  "the whole group": () => new Error("disk I/O error, on purpose"),
  "the one write": () => problem("busy", { reason: "on purpose" }),
};

for (const [undone, error] of Object.entries(undoing)) {
  test(`a key name added to the field index is forgotten when ${undone} is rolled back`, async (t) => {
    const faults = new Faults();
    const sqlite = new FailingSqlite(temporaryFolder(), faults);
    t.after(() => sqlite.close());
    migrate(sqlite);
    const call = callerOf(new Writer(allNouns, sqlite, ["*"], async () => undefined));
    // A write that may be refused after it has changed something: it has a savepoint.
    const hash = "0".repeat(64);
    const { generation } = (await call("keepBlob", hash, 5, 1)) as { generation: number };
    const facts = { type: "text/plain", hash, generation, size: 5, image: undefined, onConflict: "fail" };
    const texts = { title: undefined, description: undefined };
    const create = async (name: string, data: Record<string, Json>) => {
      await call("putFile", "keys", { name, ...facts, ...texts }, at(1000));
      for (const [key, value] of Object.entries(data)) await addMeta(name, key, value);
    };
    const addMeta = (name: string, key: string, value: Json) =>
      call("changeFile", `keys/${name}`, parseMetaChange("add", key, value), at(1000));
    for (let n = 1, isDone = false; !isDone; n++) {
      Object.assign(faults, { calls: 0, failAt: n, error });
      isDone = await create(`undone-${n}`, { [`a${n}`]: 1, [`b${n}`]: "x" }).then(
        () => true,
        () => false,
      );
      faults.failAt = Number.POSITIVE_INFINITY;
      // The next names get the numbers of the rolled-back names.
      await create(`next-${n}`, { [`c${n}`]: 1, [`d${n}`]: 2 });
      await create(`again-${n}`, { [`a${n}`]: 2, [`b${n}`]: "y" });
      assert.deepEqual(await faultsOf(sqlite), [], `call ${n} failed`);
      if (isDone) assert.ok(n > 8, `only ${n - 1} calls failed`);
    }
  });
}
