import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { findNumber, numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import { problem } from "./problems.ts";
import {
  maxTransfers,
  type NewTransfer,
  type Owner,
  type Transfer,
  type TransferStore,
  type Writer,
  writerSeconds,
} from "./transfer.ts";

/** Uploads that are no files yet are in no backup: their bytes are not, either. */
export const transferNoun = noun({
  writes: { createTransfer, holdTransfer, saveTransfer, releaseTransfer, removeTransfer, expireTransfers },
  port: ({ sql, writes }): TransferStore => ({
    create: writes.createTransfer,
    get: (id, owner) => getTransfer(sql, id, owner),
    missingBytes: async () =>
      Number(await findNumber(sql, "SELECT SUM(length - received) FROM transfer WHERE file IS NULL")),
    hold: writes.holdTransfer,
    save: writes.saveTransfer,
    release: writes.releaseTransfer,
    remove: writes.removeTransfer,
    expire: async (sinceSeconds, nowSeconds) => {
      const old = "SELECT 1 FROM transfer WHERE at <= ?1 AND writer_until <= ?2 LIMIT 1";
      // A store without such rows is not written to.
      if (await sql.row(old, sinceSeconds, nowSeconds)) await writes.expireTransfers(sinceSeconds, nowSeconds);
    },
    has: async (id) => (await sql.row("SELECT 1 FROM transfer WHERE id = ?1", id)) !== undefined,
  }),
});

const isOpen = "actor = ?1 AND at > ?2 AND file IS NULL";

async function createTransfer(
  { sql }: Writing,
  upload: NewTransfer,
  sinceSeconds: number,
  { actor, nowSeconds }: WriteContext,
): Promise<Transfer> {
  const count = await numberOf(sql, `SELECT count(*) FROM transfer WHERE ${isOpen}`, actor, sinceSeconds);
  if (count >= maxTransfers) throw problem("too_many_uploads", { limit: maxTransfers });
  const { id, request, metadata, length } = upload;
  await sql.run(
    `INSERT INTO transfer (id, actor, request, metadata, length, received, at, writer, writer_until, file)
     VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, '', 0, NULL)`,
    id,
    actor,
    JSON.stringify(request),
    metadata,
    length,
    nowSeconds,
  );
  return { ...upload, offset: 0, at: nowSeconds, file: undefined };
}

async function getTransfer(sql: Pick<Sql, "row">, id: string, { actor, sinceSeconds }: Owner): Promise<Transfer> {
  const select = "SELECT request, metadata, length, received, at, file FROM transfer";
  const row = await sql.row(`${select} WHERE id = ?1 AND actor = ?2 AND at > ?3`, id, actor, sinceSeconds);
  if (!row) throw problem("upload_not_found", { id });
  return { id, ...fieldsOf(row) };
}

function fieldsOf(row: Row): Omit<Transfer, "id"> {
  const [request, metadata, length, offset, at, file] = row as [string, string, number, number, number, string | null];
  const numbers = { length: Number(length), offset: Number(offset), at: Number(at) };
  return { request: JSON.parse(request), metadata, ...numbers, file: (file ?? undefined) as Path | undefined };
}

async function holdTransfer({ sql }: Writing, { id, writer, nowSeconds }: Writer, owner: Owner): Promise<Transfer> {
  const upload = await getTransfer(sql, id, owner);
  const held = await sql.run(
    "UPDATE transfer SET writer = ?2, writer_until = ?3 WHERE id = ?1 AND writer_until <= ?4",
    id,
    writer,
    nowSeconds + writerSeconds,
    nowSeconds,
  );
  if (held === 0) throw problem("upload_locked", { id });
  return upload;
}

async function saveTransfer(
  { sql }: Writing,
  { id, writer, nowSeconds }: Writer,
  { offset, file }: Partial<Pick<Transfer, "offset" | "file">>,
): Promise<void> {
  const saved = await sql.run(
    `UPDATE transfer SET received = CASE WHEN ?3 < 0 THEN received ELSE ?3 END,
       file = CASE WHEN ?4 = '' THEN file ELSE ?4 END, at = ?5, writer_until = ?6
     WHERE id = ?1 AND writer = ?2`,
    id,
    writer,
    offset ?? -1,
    file ?? "",
    nowSeconds,
    nowSeconds + writerSeconds,
  );
  if (saved === 0) throw problem("upload_locked", { id });
}

async function releaseTransfer({ sql }: Writing, { id, writer }: Writer): Promise<void> {
  await sql.run("UPDATE transfer SET writer_until = 0 WHERE id = ?1 AND writer = ?2", id, writer);
}

async function removeTransfer({ sql }: Writing, { id, writer }: Writer): Promise<void> {
  const removed = await sql.run("DELETE FROM transfer WHERE id = ?1 AND writer = ?2", id, writer);
  if (removed === 0) throw problem("upload_locked", { id });
}

async function expireTransfers({ sql }: Writing, sinceSeconds: number, nowSeconds: number): Promise<void> {
  await sql.run("DELETE FROM transfer WHERE at <= ?1 AND writer_until <= ?2", sinceSeconds, nowSeconds);
}
