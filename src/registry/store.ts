import type { WriteContext } from "../core/event.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { namesOf, rowTable } from "../core/sql/rows.ts";
import type { Row, Sql } from "../core/sql/sql.ts";
import { registryVersion } from "../version/version.ts";
import { findVersion, noteVersion } from "../version/version-store.ts";
import { problem } from "./problems.ts";
import type { RegistryItem, RegistryStore, StoredItem } from "./registry.ts";
import { registryRule } from "./row-rules.ts";

export const registryNoun = noun({
  writes: { putRegistryItem, deleteRegistryItem, restoreRegistryItem },
  rows: [rowTable(registryRule, "key")],
  port: ({ sql, writes }): RegistryStore => ({
    listBelow: (key) => listRegistryBelow(sql, key),
    list: () => listRegistry(sql),
    put: writes.putRegistryItem,
    delete: writes.deleteRegistryItem,
    findStored: (key) => findItem(sql, key),
    restore: writes.restoreRegistryItem,
  }),
});

const columns = namesOf(registryRule).join(", ");
/** SQL that is true for the item ?1 and everything below it. "/" is the byte after ".". */
const isBelow = "(key = ?1 OR (key >= ?1 || '.' AND key < ?1 || '/'))";

type ItemRow = readonly [key: string, value: string, contentRevision: number, modifiedAt: number];

function toStoredItem(row: Row): StoredItem {
  const [key, value, contentRevision, modifiedAt] = row as ItemRow;
  return { key, value, contentRevision, modifiedAt };
}

async function findItem(sql: Sql, key: string): Promise<StoredItem | undefined> {
  const row = await sql.row(`SELECT ${columns} FROM registry_item WHERE key = ?1`, key);
  return row && toStoredItem(row);
}

function toItem(row: Row): RegistryItem {
  const [key, value] = row as ItemRow;
  return { key, value };
}

/** The item and everything below it. */
async function listRegistryBelow(sql: Sql, key: string): Promise<RegistryItem[]> {
  const rows = await sql.rows(`SELECT key, value FROM registry_item WHERE ${isBelow} ORDER BY key`, key);
  return rows.map(toItem);
}

async function listRegistry(sql: Sql): Promise<RegistryItem[]> {
  return (await sql.rows("SELECT key, value FROM registry_item ORDER BY key")).map(toItem);
}

async function putRegistryItem(
  on: Writing,
  key: string,
  { value }: Pick<RegistryItem, "value">,
  context: WriteContext,
): Promise<void> {
  await setItem(on, "registry.set", { key, value }, context);
}

async function restoreRegistryItem(
  on: Writing,
  key: string,
  { revision }: { revision: number },
  context: WriteContext,
): Promise<RegistryItem> {
  const current = await findItem(on.sql, key);
  const thing = { noun: "registry_item", thing: key } as const;
  const state = await findVersion(on.sql, thing, revision, { id: key, since: current?.contentRevision });
  const value = state ? state.data : (current as StoredItem).value;
  await setItem(on, "registry.restore", { key, value }, context);
  return { key, value };
}

/** Sets the item; keeps the value before it in the history. */
async function setItem(
  on: Writing,
  kind: "registry.set" | "registry.restore",
  { key, value }: RegistryItem,
  context: WriteContext,
): Promise<void> {
  const before = await findItem(on.sql, key);
  const revision = await appendAbout(on, kind, key, context);
  if (before) noteItem(on, before, revision, context);
  await on.sql.run(
    `INSERT INTO registry_item (${columns}) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, content_revision = excluded.content_revision,
       modified_at = excluded.modified_at`,
    key,
    value,
    revision,
    context.nowSeconds,
  );
}

/** The values go into the history: the trash has no registry items. Decision 51. */
async function deleteRegistryItem(on: Writing, key: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  const gone = (await sql.rows(`SELECT ${columns} FROM registry_item WHERE ${isBelow}`, key)).map(toStoredItem);
  if (gone.length === 0) throw problem("registry_item_not_found", { id: key });
  const revision = await appendAbout(on, "registry.delete", key, context, gone.length);
  for (const item of gone) noteItem(on, item, revision, context);
  await sql.run(`DELETE FROM registry_item WHERE ${isBelow}`, key);
}

function noteItem(on: Writing, item: StoredItem, nextRevision: number, context: WriteContext): void {
  noteVersion(on, { noun: "registry_item", thing: item.key }, registryVersion(item), nextRevision, context);
}
