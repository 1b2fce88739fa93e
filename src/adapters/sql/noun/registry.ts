import { problem } from "../../../domain/problem.ts";
import type { RegistryItem, RegistryStore } from "../../../domain/registry.ts";
import { noun, type Writing } from "../noun.ts";
import { rowTable } from "../rows.ts";
import type { Row, Sql } from "../sql.ts";

export const registryNoun = noun({
  writes: { putRegistryItem, deleteRegistryItem },
  rows: [rowTable("registry_item", "registry_item", "key, value", "key")],
  port: ({ sql, writes }): RegistryStore => ({
    listBelow: (key) => listRegistryBelow(sql, key),
    list: () => listRegistry(sql),
    put: writes.putRegistryItem,
    delete: writes.deleteRegistryItem,
  }),
});

const toItem = ([key, value]: Row): RegistryItem => ({ key: key as string, value: value as string });

/** The item and everything below it. "/" is the byte after ".", so the range holds every `key.…`. */
async function listRegistryBelow(sql: Sql, key: string): Promise<RegistryItem[]> {
  const rows = await sql.rows(
    "SELECT key, value FROM registry_item WHERE key = ?1 OR (key >= ?1 || '.' AND key < ?1 || '/') ORDER BY key",
    key,
  );
  return rows.map(toItem);
}

async function listRegistry(sql: Sql): Promise<RegistryItem[]> {
  return (await sql.rows("SELECT key, value FROM registry_item ORDER BY key")).map(toItem);
}

async function putRegistryItem(on: Writing, item: RegistryItem, actor: string, nowSeconds: number): Promise<void> {
  const { sql } = on;
  await sql.run(
    "INSERT INTO registry_item (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    item.key,
    item.value,
  );
  await log(on, "registry.set", item.key, 1, actor, nowSeconds);
}

async function deleteRegistryItem(on: Writing, key: string, actor: string, nowSeconds: number): Promise<void> {
  const { sql } = on;
  const count = await sql.run(
    "DELETE FROM registry_item WHERE key = ?1 OR (key >= ?1 || '.' AND key < ?1 || '/')",
    key,
  );
  if (count === 0) throw problem("registry_item_not_found", { id: key });
  await log(on, "registry.delete", key, count, actor, nowSeconds);
}

function log(
  { append }: Writing,
  kind: "registry.set" | "registry.delete",
  subject: string,
  count: number,
  actor: string,
  atSeconds: number,
): Promise<number> {
  return append({ atSeconds, kind, subject, target: null, count, actor });
}
