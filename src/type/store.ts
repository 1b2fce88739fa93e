import { setImmediate } from "node:timers/promises";
import type { EventKind, WriteContext } from "../core/event.ts";
import { parseJson } from "../core/lib/json.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Path } from "../core/path.ts";
import { isProblem } from "../core/problem.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import { appendWrite } from "../core/sql/event.ts";
import { KeyCache } from "../core/sql/key-cache.ts";
import { noun, type Point, type Writing } from "../core/sql/noun.ts";
import { pastNewestEvent, rowTable } from "../core/sql/rows.ts";
import { numberOf, type Sql } from "../core/sql/sql.ts";
import { compiledTypes } from "./cache-store.ts";
import type { CurrentTypes, TypeReads } from "./check.ts";
import { type ModelStore, throwInUse } from "./model.ts";
import { applyModel, applyTried, tryModel } from "./model-store.ts";
import { mayNameService, refuseNames } from "./name.ts";
import { problem } from "./problems.ts";
import { renameType } from "./rename-store.ts";
import { typeRule } from "./row-rules.ts";
import { findSchema, insertType, readTypes, toType, typeColumns, typeState, valuesOf } from "./rows.ts";
import { checkType } from "./scan-store.ts";
import type { CompiledSchema } from "./schema.ts";
import { type ContentType, existingType, maxTypes, type StoredType, type TypeStore } from "./type.ts";

export const typeNoun = noun({
  writes: { putType, deleteType, applyModel, renameType },
  scans: { checkType, tryModel },
  apart: ["checkType", "tryModel"],
  costs: compiledTypes,
  rows: [rowTable(typeRule, "id")],
  relations: [pastNewestEvent("type", "id FROM type")],
  // Which state of the types is in force; one key, which each event of a type drops.
  point: {
    text: typeState,
    values: () => [],
    toValue: String,
    cache: () => new KeyCache<string>({ clearedBy: ["type"], max: 1 }),
  },
  port: ({ sql, point, writes, scansFor }): TypeStore & TypeReads & ModelStore => ({
    find: async (id) => {
      const type = await findType(sql, id);
      return type && withFault(sql, type);
    },
    current: currentTypes(sql, point),
    list: async (after, limit) => {
      const types = await listTypes(sql, after, limit);
      return Promise.all(types.map((type) => withFault(sql, type)));
    },
    put: writes.putType,
    delete: writes.deleteType,
    check: (tried, { asker, paths, after }) => scansFor(asker).checkType(tried, paths, after),
    apply: (model, options, context) => applyTried(model, options, context, scansFor(options.asker), writes),
    rename: writes.renameType,
  }),
});

/** Reads the types when their state has changed. */
function currentTypes(sql: Sql, point: Point<string>): () => MaybePromise<CurrentTypes> {
  let known: { state: string; current: MaybePromise<CurrentTypes> } | undefined;
  const read = async (state: string): Promise<CurrentTypes> => {
    try {
      const current = { types: await readTypes(sql, state) };
      if (known?.state === state) known = { state, current };
      return current;
    } catch (error) {
      if (known?.state === state) known = undefined;
      throw error;
    }
  };
  return () =>
    after(point.cached("types"), (state = "") => {
      if (known?.state !== state) known = { state, current: read(state) };
      return known.current;
    });
}

export async function findType(sql: Pick<Sql, "row">, id: string): Promise<StoredType | undefined> {
  const row = await sql.row(`SELECT ${typeColumns} FROM type WHERE id = ?1`, id);
  return row && toType(row);
}

async function listTypes(sql: Sql, after: string | undefined, limit: number): Promise<StoredType[]> {
  const text = `SELECT ${typeColumns} FROM type WHERE id > ?1 ORDER BY id LIMIT ?2`;
  return (await sql.rows(text, after ?? "", limit)).map(toType);
}

export async function putType(
  on: Writing,
  id: string,
  given: Omit<ContentType, "id">,
  context: WriteContext,
): Promise<StoredType> {
  const { sql } = on;
  const type = { ...given, id };
  const before = await findType(sql, id);
  if (before) refuseOtherRevision(context.ifMatch, before.revision);
  else if (context.ifMatch !== undefined) throw problem("type_not_found", { id });
  else await refuseTooMany(sql);
  refuseNames(await compiled(sql, id, type));
  await compileStill(sql, type);
  const revision = await log(on, "type.put", id, context);
  if (before) await sql.run("DELETE FROM type WHERE id = ?1", id);
  await sql.run(insertType.text, ...valuesOf({ ...type, revision }));
  return { ...type, revision };
}

async function deleteType(on: Writing, id: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  const type = existingType(await findType(sql, id), id);
  refuseOtherRevision(context.ifMatch, type.revision);
  await compileStill(sql, { id, schema: undefined });
  await log(on, "type.delete", id, context);
  await sql.run("DELETE FROM type WHERE id = ?1", id);
}

const log = (on: Writing, kind: EventKind, id: string, context: WriteContext): Promise<number> =>
  appendWrite(on, kind, id as Path, null, 1, context);

async function refuseTooMany(sql: Sql): Promise<void> {
  const count = await numberOf(sql, "SELECT count(*) FROM type");
  if (count >= maxTypes) throw problem("too_many_types", { limit: maxTypes });
}

/** The schema of a type, as it would be with another one of this type. */
type Changed = { id: string; schema: string | undefined };

/** Throws schema_invalid. */
async function compiled(sql: Sql, id: string, changed: Changed): Promise<CompiledSchema> {
  const { compileSchema } = await import("./schema.ts");
  return compileSchema(id, {
    schemaOf: (each) => (each === changed.id ? changed.schema : findSchema(sql, each)),
  });
}

/** The type, with its fault where an earlier version took a schema that names a field of the service. */
async function withFault(sql: Sql, type: StoredType): Promise<StoredType> {
  if (!mayNameService(type.schema)) return type;
  try {
    refuseNames(await compiled(sql, type.id, type));
    return type;
  } catch (error) {
    if (!isProblem(error, "schema_invalid")) throw error;
    return { ...type, fault: { pointer: String(error.params.pointer), message: error.message } };
  }
}

/** What compiling the types that refer to a changed one may take together. */
const maxCompileMs = 10_000;

/** Throws type_in_use when a type refers to what the change takes away, type_too_costly when too many refer to it. */
async function compileStill(sql: Sql, changed: Changed): Promise<void> {
  const endMs = performance.now() + maxCompileMs;
  for (const user of await users(sql, changed.id)) {
    if (performance.now() > endMs) throw problem("type_too_costly", { type: user });
    await compilesStill(sql, user, changed);
  }
}

/** Throws type_in_use. */
async function compilesStill(sql: Sql, user: string, changed: Changed): Promise<void> {
  // On PostgreSQL this runs on the thread of requests.
  await setImmediate();
  try {
    await compiled(sql, user, changed);
  } catch (error) {
    throwInUse(error, changed.id, user);
  }
}

/** The types whose schemas refer to this one, also by way of others. */
export async function users(sql: Pick<Sql, "rows">, id: string): Promise<string[]> {
  const { walkSchema } = await import("./walk.ts");
  const rows = await sql.rows("SELECT id, schema FROM type WHERE schema LIKE '%/types/%' ORDER BY id");
  const refersTo = new Map(
    (rows as [string, string][]).map(([each, schema]) => [each, walkSchema(parseJson(schema)).types]),
  );
  const found = new Set([id]);
  for (const used of found) for (const [each, types] of refersTo) if (types.has(used)) found.add(each);
  found.delete(id);
  return [...found];
}
