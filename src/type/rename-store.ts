import type { NewEvent, WriteContext } from "../core/event.ts";
import { pagesBy } from "../core/lib/in-groups.ts";
import { formatJson, parseJson } from "../core/lib/json.ts";
import { compareText, type Slug } from "../core/path.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import type { Writing } from "../core/sql/noun.ts";
import type { Row, Sql } from "../core/sql/sql.ts";
import { throwInUse, withUsers } from "./model.ts";
import { isTie, TypePaths } from "./path.ts";
import { problem } from "./problems.ts";
import { allTypes, replaceTypes } from "./rows.ts";
import { type ContentType, existingType, type StoredType } from "./type.ts";
import { renameInSchema } from "./walk.ts";

/** A type that gets another id. What refers to it follows: types here, entries and working copies by a link. */

export async function renameType(on: Writing, id: string, newId: string, context: WriteContext): Promise<StoredType> {
  const { sql } = on;
  const present = await allTypes(sql);
  const type = existingType(present.get(id), id);
  refuseOtherRevision(context.ifMatch, type.revision);
  if (newId === id) return type;
  if (present.has(newId)) throw problem("type_exists", { id: newId });
  const changed = [...present.values()].flatMap((each) => renamed(each, id, newId));
  const after = new Map([...present, ...changed.map((each) => [each.id, each] as const)]);
  after.delete(id);
  await refuseOtherEntries(sql, present, after, { id, newId });
  await compileAll(after, changed, id);
  const revisions = await append(on, changed, id, context);
  const stored = changed.map((each, i) => ({ ...each, revision: revisions[i] as number }));
  await replaceTypes(sql, [id, ...stored.map((each) => each.id)], stored);
  await on.links.followRenamedType(on, id, newId, context);
  return stored.find((each) => each.id === newId) as StoredType;
}

/** The type under its new id, or one that refers to it; nothing for others. */
function renamed(type: StoredType, id: string, newId: string): StoredType[] {
  const schema = parseJson(type.schema);
  const isChanged = renameInSchema(schema, id, newId);
  if (type.id !== id && !isChanged) return [];
  return [{ ...type, id: type.id === id ? newId : type.id, schema: isChanged ? formatJson(schema) : type.schema }];
}

/** The events of the types, the first of their group. Answers the revisions of those that are written. */
async function append(
  { appendAll }: Writing,
  changed: readonly ContentType[],
  id: string,
  { actor, nowSeconds, origin = {} }: WriteContext,
): Promise<number[]> {
  const about = { atSeconds: nowSeconds, target: null, count: 1, actor, origin };
  const puts: NewEvent[] = changed.map((each) => ({ ...about, kind: "type.put", subject: each.id }));
  const revisions = await appendAll([...puts, { ...about, kind: "type.delete", subject: id }]);
  return revisions.slice(0, -1);
}

/** A reference that is written in another way, as by an address, would lead to nothing. Throws type_in_use. */
async function compileAll(
  after: ReadonlyMap<string, ContentType>,
  changed: readonly ContentType[],
  id: string,
): Promise<void> {
  const { compileSchema } = await import("./schema.ts");
  const schemas = { schemaOf: (each: string) => after.get(each)?.schema };
  for (const each of withUsers(
    changed.map((one) => one.id),
    after,
  )) {
    try {
      await compileSchema(each, schemas);
    } catch (error) {
      throwInUse(error, id, each);
    }
  }
}

/** Entries are looked at this many at a time. */
const pageEntries = 200;

/**
 * Of two types whose patterns are as specific the first by id has the entry. Throws argument_invalid where another id would
 * give an entry to another type.
 */
async function refuseOtherEntries(
  sql: Sql,
  before: ReadonlyMap<string, ContentType>,
  after: ReadonlyMap<string, ContentType>,
  { id, newId }: { id: string; newId: string },
): Promise<void> {
  const own = (before.get(id) as ContentType).paths;
  const rivals = [...before.values()].filter(
    (each) =>
      each.id !== id &&
      compareText(each.id, id) !== compareText(each.id, newId) &&
      each.paths.some((path) => own.some((one) => isTie(path, one))),
  );
  if (rivals.length === 0) return;
  const [was, is] = [new TypePaths(before.values()), new TypePaths(after.values())];
  const text = `SELECT slug FROM entry WHERE slug > ?1 ORDER BY slug LIMIT ${pageEntries}`;
  for await (const rows of pagesBy(pageEntries, (last?: Row) => sql.rows(text, last?.[0] ?? "")))
    for (const [slug] of rows as [Slug][]) {
      const type = was.typeOf(slug, undefined);
      const next = is.typeOf(slug, undefined);
      if (next === (type === id ? newId : type)) continue;
      const rival = String(type === id ? next : type);
      const accepted = `an id ${compareText(id, rival) < 0 ? "before" : "behind"} "${rival}", whose patterns are as specific: by the order of the ids one of the two has ${slug}`;
      throw problem("argument_invalid", { argument: "new_id", received: newId, accepted });
    }
}
