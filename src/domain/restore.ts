import {
  type BackupEnd,
  BackupError,
  type BackupReader,
  type BackupRow,
  backupFormat,
  type Member,
  memberNames,
  type OnProgress,
  type RowBatch,
  type RowNoun,
  type RowStore,
  rowNouns,
  Tally,
} from "./backup.ts";
import type { BlobLedger, BlobStore } from "./blob.ts";

export type RestoreStores = { rows: RowStore; blobs: BlobStore; ledger: BlobLedger };

/**
 * Fills an empty store from a backup. The file is read once to its end, its blobs kept as they come: they harm nobody
 * as long as no row refers to them, and a sweep takes them away if it comes to nothing. Only when all of it has proved
 * whole are the rows, which stand in front, read again and loaded in one transaction. The caller sees to it that no
 * sweep runs meanwhile. Throws BackupError, and then the store is as empty as before.
 */
export async function readBackup(
  stores: RestoreStores,
  reader: BackupReader,
  nowSeconds: number,
  onProgress: OnProgress,
): Promise<BackupEnd> {
  if (!(await stores.rows.isEmpty())) throw new BackupError(notEmpty);
  const end = await takeBlobs(stores, reader, nowSeconds, onProgress);
  await stores.rows.load(batches(reader, end, onProgress), end.counts);
  return end;
}

export const notEmpty = "the store is not empty; a backup is restored to a new one";

/** The first reading: keeps the blobs, looks at everything. Answers what the end says, once all agrees with it. */
async function takeBlobs(
  stores: RestoreStores,
  reader: BackupReader,
  nowSeconds: number,
  onProgress: OnProgress,
): Promise<BackupEnd> {
  const tally = new Tally();
  let isFirst = true;
  let end: BackupEnd | undefined;
  let done = 0;
  const watched = async function* (bytes: Member["bytes"]) {
    for await (const chunk of bytes) {
      yield chunk;
      done += chunk.length;
      onProgress("bytes", done, reader.size);
    }
  };
  for await (const found of reader.members()) {
    const member = { ...found, bytes: watched(found.bytes) };
    if (end) throw damaged(`${member.name} stands behind its end`);
    if (isFirst) await readAbout(member);
    else if (member.name === memberNames.end) end = readEnd(await textOf(member));
    else if (member.name.startsWith("rows/")) await countRows(member, tally);
    else await takeBlob(stores, member, tally, nowSeconds);
    isFirst = false;
  }
  if (!end) throw new BackupError("it has no end: the backup was interrupted, or the file is cut off");
  refuseOther(end, tally.end());
  return end;
}

/** The second reading: the rows alone. Throws BackupError at their end when they are no longer those of the first. */
async function* batches(reader: BackupReader, end: BackupEnd, onProgress: OnProgress): AsyncGenerator<RowBatch> {
  const tally = new Tally();
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0);
  for await (const member of reader.members()) {
    const isRows = member.name.startsWith("rows/");
    if (!isRows && tally.rows > 0) break;
    const text = await textOf(member);
    if (!isRows) continue;
    const noun = nounOf(member.name);
    tally.addRows(noun, Buffer.from(text));
    yield { noun, rows: text.split("\n").filter(Boolean).map(toRow) };
    onProgress("rows", tally.rows, total);
  }
  if (tally.end().rows_sha256 !== end.rows_sha256) throw new BackupError("the file has changed while it was read");
}

const toRow = (line: string): BackupRow => JSON.parse(line) as BackupRow;

async function readAbout(member: Member): Promise<void> {
  if (member.name !== memberNames.about)
    throw new BackupError(`it is no backup: it does not begin with ${memberNames.about}`);
  const { format } = parse(await textOf(member), member.name) as { format?: unknown };
  if (format === backupFormat) return;
  throw new BackupError(`its format is ${JSON.stringify(format)}; this version of Octavo reads ${backupFormat}`);
}

async function countRows(member: Member, tally: Tally): Promise<void> {
  const noun = nounOf(member.name);
  for await (const chunk of member.bytes) tally.addRows(noun, chunk);
}

function nounOf(name: string): RowNoun {
  const noun = rowNouns.find((known) => name.startsWith(`rows/${known}-`));
  if (!noun) throw damaged(`it holds ${name}, which this version of Octavo does not know`);
  return noun;
}

/** In the order of an upload: on the ledger first, then durable. Decision 4. */
async function takeBlob(
  { blobs, ledger }: RestoreStores,
  { name, size, bytes }: Member,
  tally: Tally,
  nowSeconds: number,
): Promise<void> {
  const staged = await blobs.stage(bytes, size);
  try {
    if (name !== memberNames.blob(staged.hash)) throw damaged(`${name} has other bytes than its name says`);
    await ledger.keep(staged.hash, staged.size, nowSeconds);
    await blobs.put(staged);
    tally.addBlob(staged);
  } finally {
    await staged.discard();
  }
}

function readEnd(text: string): BackupEnd {
  const end = parse(text, memberNames.end) as Partial<BackupEnd>;
  if (end.counts && end.blobs && end.rows_sha256) return end as BackupEnd;
  throw damaged(`${memberNames.end} lacks a part`);
}

/** Compares what the end says with what came. */
function refuseOther(end: BackupEnd, came: BackupEnd): void {
  const numbers = (of: BackupEnd): Record<string, unknown> => ({
    ...of.counts,
    blobs: of.blobs.count,
    "bytes of blobs": of.blobs.bytes,
  });
  const said = numbers(end);
  for (const [what, count] of Object.entries(numbers(came))) {
    if (said[what] !== count) throw damaged(`${what}: ${count} came, its end says ${said[what]}`);
  }
  if (end.rows_sha256 !== came.rows_sha256) throw damaged("the rows are not those that were written");
  if (end.blobs.sha256 !== came.blobs.sha256) throw damaged("the blobs are not those that were written");
}

async function textOf({ bytes }: Member): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string, name: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw damaged(`${name} is no JSON`);
  }
}

const damaged = (how: string): BackupError => new BackupError(`it is damaged: ${how}`);
