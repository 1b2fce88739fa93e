import assert from "node:assert/strict";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { atEnd } from "../../test/ending.ts";
import { bytesOf, openUploads, type Uploads } from "../../test/ports/uploads.ts";
import { type FaultyBlob, faultyBlobs } from "../core/bytes/blob.ts";
import { blobFile } from "../core/bytes/disk/blob-folder.ts";
import { type Candidate, repairBlobs } from "./repair.ts";

let uploads: Uploads;
before(async () => {
  uploads = await openUploads();
});
atEnd(() => uploads.store.close());

const candidate = (from: string, text: string): Candidate => ({ from, bytes: bytesOf(text) });
const unreadable = (from: string): Candidate => ({
  from,
  bytes: (async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one");
    throw new Error("it cannot be read");
  })(),
});

/** The blobs of "one.txt" and "two.txt", the first missing, the second changed. */
async function damage(): Promise<Map<string, FaultyBlob>> {
  const [one, two] = [await uploads.upload("one.txt", "one"), await uploads.upload("two.txt", "two")];
  const files = [one, two].map(({ hash }) => blobFile(uploads.blobs.folder, hash)) as [string, string];
  for (const file of files) rmSync(file, { force: true });
  writeFileSync(files[1], "tow");
  const faulty = await Array.fromAsync(faultyBlobs(uploads.store.ledger, uploads.blobs));
  assert.deepEqual(faulty.map(({ path, state }) => `${path} ${state}`).sort(), ["one.txt missing", "two.txt changed"]);
  return new Map(faulty.map((blob) => [blob.hash, blob]));
}

/** The candidates, the repairs with their sources, the unusable candidates, the remaining faults, the number of reads. */
type Case = { candidates: () => Candidate[]; repaired: string[]; unusable?: string[]; left: string[]; read?: number };

const cases: Record<string, Case> = {
  "a good copy of each repairs both": {
    candidates: () => [candidate("a", "two"), candidate("b", "one")],
    repaired: ["two.txt from a", "one.txt from b"],
    left: [],
  },
  "other bytes repair nothing": {
    candidates: () => [candidate("a", "tow"), candidate("b", "")],
    repaired: [],
    left: ["one.txt", "two.txt"],
  },
  "no candidates repair nothing": { candidates: () => [], repaired: [], left: ["one.txt", "two.txt"] },
  "an unreadable candidate is reported, and the search continues": {
    candidates: () => [unreadable("a"), candidate("b", "one")],
    repaired: ["one.txt from b"],
    unusable: ["a: it cannot be read"],
    left: ["two.txt"],
  },
  "a second copy of a repaired blob is ignored": {
    candidates: () => [candidate("a", "one"), candidate("b", "one"), candidate("c", "two")],
    repaired: ["one.txt from a", "two.txt from c"],
    left: [],
  },
  "the search ends when everything is repaired": {
    candidates: () => [candidate("a", "one"), candidate("b", "two"), unreadable("c")],
    repaired: ["one.txt from a", "two.txt from b"],
    left: [],
    read: 2,
  },
};

describe("blobs are repaired from candidates with their hash", () => {
  for (const [what, { candidates, repaired, unusable = [], left, read }] of Object.entries(cases)) {
    test(what, async () => {
      const wanted = await damage();
      const all = candidates();
      const [found, failed]: [string[], string[]] = [[], []];
      let given = 0;
      const source = async function* (): AsyncGenerator<Candidate> {
        for (const one of all) {
          given++;
          yield one;
        }
      };
      await repairBlobs({ ledger: uploads.store.ledger, blobs: uploads.blobs }, wanted, source, 1000, {
        onRepaired: ({ path, from }) => void found.push(`${path} from ${from}`),
        onUnusable: (from, error) => void failed.push(`${from}: ${(error as Error).message}`),
      });
      assert.deepEqual([found, failed, given], [repaired, unusable, read ?? all.length]);
      assert.deepEqual([...wanted.values()].map(({ path }) => path).sort(), left);
      const faulty = await Array.fromAsync(faultyBlobs(uploads.store.ledger, uploads.blobs));
      assert.deepEqual(faulty.map(({ path }) => path).sort(), left);
      assert.deepEqual(readdirSync(join(uploads.folder, "tmp")), []);
    });
  }
});

test("with nothing to repair the source is not read", async () => {
  const source = () => assert.fail("it was read");
  const stores = { ledger: uploads.store.ledger, blobs: uploads.blobs };
  await repairBlobs(stores, new Map(), source, 1000, {
    onRepaired: () => assert.fail(),
    onUnusable: () => assert.fail(),
  });
});
