import { keyOfSegment } from "../core/lib/json-path.ts";
import type { ContentType } from "./type.ts";
import { holders } from "./walk.ts";

/**
 * The types of a store in an OpenAPI 3.1 description, whose schemas are of the same dialect. What a component of it cannot
 * say becomes `{}`, with the reason. Contract, part two, §9.
 */

type Node = Record<string, unknown>;
type Described = Pick<ContentType, "id" | "title" | "description" | "paths" | "schema">;
type OpenApi = { components: { schemas: Record<string, Node> } };

/** The schemas that are named, in bytes of JSON text in all; the rest are named without theirs. */
export const maxSchemaBytes = 4 * 1024 * 1024;

const refOf = (name: string): string => `#/components/schemas/${name}`;
const dataName = (id: string): string => `Type_${id}`;
const entryName = (id: string): string => `Entry_${id}`;
/** A definition of a type is a component of its own: not every generator follows a reference into another one. */
const definitionName = (id: string, key: string): string => `${dataName(id)}.${key.replace(/[^\w-]/g, "_")}`;

/** Adds the types to the description: `Type_<id>` is the data of an entry, `Entry_<id>` the entry as it is answered. */
export function describeTypes({ components }: OpenApi, types: readonly Described[]): void {
  const { schemas } = components;
  const ids = new Set(types.map(({ id }) => id));
  let bytes = 0;
  for (const type of types) {
    bytes += type.schema.length;
    const schema = bytes <= maxSchemaBytes ? JSON.parse(type.schema) : {};
    const { $defs, ...own } = isNode(schema) ? schema : { $defs: {}, allOf: [schema] };
    const data = componentOf(own, type.id, ids, true);
    for (const [key, each] of Object.entries(isNode($defs) ? $defs : {}))
      schemas[definitionName(type.id, key)] = nodeOf(componentOf(each, type.id, ids));
    const title = type.title === "" ? {} : { title: type.title };
    schemas[dataName(type.id)] = { ...title, ...nodeOf(data) };
    schemas[entryName(type.id)] = entryOf(type, data);
  }
  const result = schemas.EntryResult as Node;
  const entries = types.map(({ id }) => ({ $ref: refOf(entryName(id)) }));
  schemas.EntryResult = { ...result, anyOf: [...entries, ...(result.anyOf as unknown[])] };
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** `true` and `false` as schemas of an object. */
const nodeOf = (schema: unknown): Node => (isNode(schema) ? schema : schema === true ? {} : { not: {} });

function entryOf({ id, description, paths }: Described, data: unknown): Node {
  const { additionalProperties, unevaluatedProperties, ...open } = nodeOf(data);
  // A closed schema would refuse the service's own fields.
  const isClosed = additionalProperties !== undefined || unevaluatedProperties !== undefined;
  const where = paths.length > 0 ? ` at ${paths.join(", ")}` : "";
  const note = `An entry of the type ${id}${where}. A draft may lack what is required.`;
  return {
    description: description === "" ? note : `${description}\n\n${note}`,
    allOf: [{ $ref: refOf("Entry") }, isClosed ? open : { $ref: refOf(dataName(id)) }],
  };
}

/** Identifiers of the dialect, which mean nothing in a component. */
const dropped: ReadonlySet<string> = new Set(["$id", "$anchor", "$dynamicAnchor", "$schema", "$comment"]);

const unsaid = (what: string): Node => ({ description: `${what}, which this description cannot say.` });

function componentOf(schema: unknown, id: string, ids: ReadonlySet<string>, isRoot = false): unknown {
  if (!isNode(schema)) return schema;
  const from = schema;
  if (!isRoot && "$id" in from) return unsaid("A schema with an address of its own");
  if ("$dynamicRef" in from) return unsaid(`It refers to ${String(from.$dynamicRef)}`);
  const made: Node = {};
  for (const [keyword, value] of Object.entries(from)) {
    const kind = holders.get(keyword);
    if (dropped.has(keyword)) continue;
    if (keyword === "$ref") {
      const ref = componentRef(String(value), id, ids);
      if (ref === undefined) return unsaid(`It refers to ${String(value)}`);
      made.$ref = ref;
    } else if (kind === "one") made[keyword] = componentOf(value, id, ids);
    else if (kind === "list" && Array.isArray(value)) made[keyword] = value.map((each) => componentOf(each, id, ids));
    else if (kind === "map" && isNode(value))
      made[keyword] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, componentOf(each, id, ids)]));
    else made[keyword] = value;
  }
  return made;
}

/** Where a reference leads in the description; undefined where no component is. */
function componentRef(ref: string, id: string, ids: ReadonlySet<string>): string | undefined {
  const found = /^(?:\/types\/([a-z0-9_-]{1,64}))?(?:#(?:\/\$defs\/([^/%]+))?)?$/.exec(ref);
  const [, type = id, key] = found ?? [];
  if (!found || !ids.has(type)) return undefined;
  return refOf(key === undefined ? dataName(type) : definitionName(type, keyOfSegment(key)));
}
