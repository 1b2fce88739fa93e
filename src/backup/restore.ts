import { createHash } from "node:crypto";
import type { BlobLedger, BlobStore } from "../core/bytes/blob.ts";
import { isJsonObject, JsonError, parseJson } from "../core/lib/json.ts";
import { quote } from "../core/problem-row.ts";
import { completeRow, type RowRules, type Rule, rowFault, rowName } from "../core/row.ts";
import {
  type BackupBlob,
  type BackupEnd,
  BackupError,
  type BackupReader,
  type BackupRow,
  type Format,
  type Member,
  memberNames,
  type OnProgress,
  type RowBatch,
  type RowStore,
  readableFormats,
  Tally,
} from "./backup.ts";

/** How the formats of backups are read. */
type Formats = Pick<RowStore, "formatOf">;

export type RestoreStores = { rows: RowStore; blobs: BlobStore; ledger: BlobLedger };

/**
 * Fills an empty store from a backup. Reads the whole file once: validates its rows, which precede the blobs, and
 * stores its blobs, which are harmless as long as no row refers to them; if the restore fails, a sweep removes them.
 * Then reads the rows again and loads them in one transaction. A malicious file is refused like a damaged one: no row
 * is loaded that a request could not have created. The caller ensures that no sweep runs meanwhile. Throws BackupError,
 * which names the row and the rule; then the store is as empty as before.
 */
export async function readBackup(
  stores: RestoreStores,
  reader: BackupReader,
  nowSeconds: number,
  onProgress: OnProgress,
): Promise<BackupEnd> {
  if (!(await stores.rows.isEmpty())) throw new BackupError(notEmpty);
  const { format, end } = await readAll(
    reader,
    stores.rows,
    (member) => takeBlob(stores, member, nowSeconds),
    onProgress,
  );
  await stores.rows.load(batches(reader, format, end, onProgress), { ...end, counts: format.countsOf(end.counts) });
  return end;
}

/**
 * Reads a whole backup as a restore reads it first, and stores nothing: every row by its rules, every byte by its hash, the
 * totals. What one row says of others is checked by a restore alone. Throws BackupError.
 */
export const checkBackup = async (reader: BackupReader, formats: Formats, onProgress: OnProgress): Promise<BackupEnd> =>
  (await readAll(reader, formats, hashOf, onProgress)).end;

async function hashOf({ bytes }: Member): Promise<BackupBlob> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { hash: hash.digest("hex"), size };
}

export const notEmpty = "the store is not empty; a backup is restored to a new one";

/**
 * The first pass: validates everything, and lets `take` have the bytes of each blob; it answers what it was given. Returns
 * the format, and the end member's totals, once they match the contents.
 */
async function readAll(
  reader: BackupReader,
  formats: Formats,
  take: (member: Member) => Promise<BackupBlob>,
  onProgress: OnProgress,
): Promise<{ format: Format; end: BackupEnd }> {
  let read: { format: Format; tally: Tally; rows: RowCheck } | undefined;
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
    if (end) throw damaged(`${member.name} follows its end`);
    if (!read) {
      const format = await readFormat(member, formats);
      read = { format, tally: new Tally(format.rules), rows: new RowCheck(format.rules) };
      continue;
    }
    const { format, tally, rows } = read;
    if (member.name === memberNames.end) end = readEnd(await textOf(member), format.rules);
    else if (member.name.startsWith("rows/"))
      tally.addRows(ruleOf(format.rules, member.name).noun, await rows.take(member));
    else {
      const blob = await take(member);
      refuseMisnamed(member, blob);
      tally.addBlob(blob);
    }
  }
  if (!read || !end) throw new BackupError("it has no end: the backup was interrupted, or the file is cut off");
  refuseOther(end, read.tally.end());
  return { format: read.format, end };
}

/** The second pass: only the rows. Throws BackupError at their end when they differ from those of the first. */
async function* batches(
  reader: BackupReader,
  { rules, convert }: Format,
  end: BackupEnd,
  onProgress: OnProgress,
): AsyncGenerator<RowBatch> {
  const tally = new Tally(rules);
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0);
  for await (const member of reader.members()) {
    const isRows = member.name.startsWith("rows/");
    if (!isRows && tally.rows > 0) break;
    const text = await textOf(member);
    if (!isRows) continue;
    const rule = ruleOf(rules, member.name);
    tally.addRows(rule.noun, Buffer.from(text));
    const lines = text.split("\n").filter(Boolean);
    yield* convert({ noun: rule.noun, rows: lines.map((line) => completeRow(rule, toRow(line))) });
    onProgress("rows", tally.rows, total);
  }
  if (tally.end().rows_sha256 !== end.rows_sha256) throw new BackupError("the file has changed while it was read");
}

const toRow = (line: string): BackupRow => JSON.parse(line) as BackupRow;

/** Validates each row before any is loaded. */
class RowCheck {
  private readonly rules: RowRules;
  private readonly order: readonly Rule[];
  private rule: Rule;
  /** The number of the noun's rows so far. */
  private number = 0;

  constructor(rules: RowRules) {
    this.rules = rules;
    this.order = [...rules.values()];
    this.rule = this.order[0] as Rule;
  }

  /** Returns the member's bytes. Throws BackupError for the first row that breaks a rule. */
  async take(member: Member): Promise<Buffer> {
    const rule = ruleOf(this.rules, member.name);
    if (this.order.indexOf(rule) < this.order.indexOf(this.rule)) throw damaged(`${member.name} is not in its place`);
    if (rule !== this.rule) this.number = 0;
    this.rule = rule;
    const bytes = await bytesOf(member);
    for (const line of decode(member.name, bytes).split("\n").filter(Boolean)) this.check(line);
    return bytes;
  }

  private check(line: string): void {
    const row = completeRow(this.rule, parseRow(line, `row ${++this.number} of ${this.rule.noun}`));
    const fault = rowFault(this.rule, row);
    if (fault !== undefined) throw refusal(`${rowName(this.rule, row)} (row ${this.number})`, fault);
  }
}

const refusal = (what: string, rule: string): BackupError => new BackupError(`${what} is not accepted: ${rule}`);

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw damaged(`${name} is not in UTF-8`);
  }
}

/**
 * The row of a line, as it is parsed again when it is loaded. Refuses what another parser could read differently: a
 * duplicate column, a number that no double holds.
 */
function parseRow(line: string, where: string): BackupRow {
  const row = asWritten(line);
  if (row) return row;
  try {
    if (!isJsonObject(parseJson(line, 1))) throw refusal(where, "it is not an object");
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // For an invalid text toRow throws below, naming the column.
    if (error.rule !== "text") throw refusal(where, error.message);
  }
  return toRow(line);
}

/** The row of a line as `octavo backup` writes it, which every parser reads alike: the runtime's is the fastest. */
function asWritten(line: string): BackupRow | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return isFlat(row) && JSON.stringify(row) === line ? row : undefined;
  } catch {
    return undefined;
  }
}

const isFlat = (row: unknown): row is BackupRow =>
  typeof row === "object" &&
  row !== null &&
  !Array.isArray(row) &&
  Object.values(row).every((value) => typeof value !== "object" || value === null);

async function readFormat(member: Member, { formatOf }: Formats): Promise<Format> {
  if (member.name !== memberNames.about)
    throw new BackupError(`it is no backup: it does not begin with ${memberNames.about}`);
  const { format } = parse(await textOf(member), member.name) as { format?: unknown };
  const known = formatOf(format);
  if (known) return known;
  throw new BackupError(`its format is ${JSON.stringify(format)}; this version of Octavo reads ${readableFormats}`);
}

function ruleOf(rules: RowRules, name: string): Rule {
  const rule = [...rules.values()].find(({ noun }) => name.startsWith(`rows/${noun}-`));
  if (!rule) throw damaged(`it holds ${name}, which this version of Octavo does not know`);
  return rule;
}

/** In the order of an upload: first in the ledger, then durable. Decision 4. */
async function takeBlob({ blobs, ledger }: RestoreStores, member: Member, nowSeconds: number): Promise<BackupBlob> {
  const staged = await blobs.stage(member.bytes, member.size);
  try {
    refuseMisnamed(member, staged);
    await ledger.keep(staged.hash, staged.size, nowSeconds);
    await blobs.put(staged);
    return { hash: staged.hash, size: staged.size };
  } finally {
    await staged.discard();
  }
}

function refuseMisnamed({ name }: Member, { hash }: BackupBlob): void {
  if (name !== memberNames.blob(hash)) throw damaged(`the bytes of ${name} do not match its name`);
}

function readEnd(text: string, rules: RowRules): BackupEnd {
  const end = parse(text, memberNames.end) as Partial<BackupEnd>;
  if (!end.counts || !end.blobs || !end.rows_sha256) throw damaged(`${memberNames.end} lacks a part`);
  // An older version did not count the nouns that it did not know.
  const counts = { ...new Tally(rules).end().counts };
  const unknown = Object.keys(end.counts).find((noun) => !Object.hasOwn(counts, noun));
  if (unknown !== undefined) throw damaged(`its end counts ${quote(unknown)}, which this version does not know`);
  return { ...(end as BackupEnd), counts: { ...counts, ...end.counts } };
}

/** Compares the end member's totals with what was received. */
function refuseOther(end: BackupEnd, received: BackupEnd): void {
  const numbers = (of: BackupEnd): Record<string, unknown> => ({
    ...of.counts,
    blobs: of.blobs.count,
    "bytes of blobs": of.blobs.bytes,
  });
  const said = numbers(end);
  for (const [what, count] of Object.entries(numbers(received))) {
    if (said[what] !== count) throw damaged(`${what}: ${count} found, its end says ${said[what]}`);
  }
  if (end.rows_sha256 !== received.rows_sha256) throw damaged("the rows are not those that were written");
  if (end.blobs.sha256 !== received.blobs.sha256) throw damaged("the blobs are not those that were written");
}

const textOf = async (member: Member): Promise<string> => (await bytesOf(member)).toString();

/** Far more than the rows of one member: a few MiB for a row of maximum size. */
const maxMemberBytes = 64 * 1024 * 1024;

/** Reads a member into memory. */
async function bytesOf({ name, size, bytes }: Member): Promise<Buffer> {
  if (size > maxMemberBytes) throw damaged(`${name} has more than ${maxMemberBytes} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(text: string, name: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw damaged(`${name} is no JSON`);
  }
}

const damaged = (how: string): BackupError => new BackupError(`it is damaged: ${how}`);
