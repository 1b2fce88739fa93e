import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { hasFields, isTexts } from "./fields.ts";

/**
 * Changes of a schema in its fields. Each changes what it names: all other keywords stay, in their order. Objects keep
 * their order, except that names which are whole numbers come first, as in every object of JavaScript.
 */

export type SchemaField = { name: string; schema: Json; isRequired: boolean };

/** True when the fields of a schema can be listed: an object with its properties. */
export const isReadable = (schema: Json | undefined): schema is JsonObject => isObject(schema) && isOfObjects(schema);

const isOfObjects = (schema: JsonObject): boolean =>
  (schema.type === undefined || schema.type === "object") && hasFields(schema);

const orderKeyword = "x-octavo-order";

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});
const requiredOf = ({ required }: JsonObject): string[] => (isTexts(required) ? required : []);

/** The fields in the order of the form: `x-octavo-order` first, then the properties. */
export function fieldsOf(schema: JsonObject): SchemaField[] {
  const properties = propertiesOf(schema);
  const required = new Set(requiredOf(schema));
  const order = isTexts(schema[orderKeyword]) ? schema[orderKeyword] : [];
  const names = new Set([...order.filter((name) => Object.hasOwn(properties, name)), ...Object.keys(properties)]);
  return [...names].map((name) => ({ name, schema: properties[name] as Json, isRequired: required.has(name) }));
}

/** A keyword set, or removed when the value is undefined. It keeps its place. */
export function withKeyword(schema: JsonObject, keyword: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...schema, [keyword]: value };
  const { [keyword]: _removed, ...rest } = schema;
  return rest;
}

const withProperties = (schema: JsonObject, properties: readonly (readonly [string, Json])[]): JsonObject =>
  withKeyword(schema, "properties", Object.fromEntries(properties));

/** A list of names, removed when it is empty, unless there is none. */
const withNames = (schema: JsonObject, keyword: string, names: string[]): JsonObject =>
  withKeyword(schema, keyword, names.length > 0 ? names : undefined);

/** The field changed, or added at the end. */
export const withField = (schema: JsonObject, name: string, field: Json): JsonObject =>
  withKeyword(schema, "properties", { ...propertiesOf(schema), [name]: field });

export function withoutField(schema: JsonObject, name: string): JsonObject {
  const others = Object.entries(propertiesOf(schema)).filter(([each]) => each !== name);
  return changeNames(withProperties(schema, others), (names) => names.filter((each) => each !== name));
}

export function withRenamed(schema: JsonObject, from: string, to: string): JsonObject {
  const rename = (each: string): string => (each === from ? to : each);
  const renamed = Object.entries(propertiesOf(schema)).map(([each, field]) => [rename(each), field] as const);
  return changeNames(withProperties(schema, renamed), (names) => names.map(rename));
}

/** Changes the lists of names that the schema has. */
function changeNames(schema: JsonObject, change: (names: string[]) => string[]): JsonObject {
  let changed = schema;
  for (const keyword of ["required", orderKeyword]) {
    const names = changed[keyword];
    if (isTexts(names) && names.length > 0) changed = withNames(changed, keyword, change(names));
  }
  return changed;
}

export const withRequired = (schema: JsonObject, name: string, isRequired: boolean): JsonObject => {
  const others = requiredOf(schema).filter((each) => each !== name);
  return withNames(schema, "required", isRequired ? [...others, name] : others);
};

/** The field put to another place of the form. */
export function withMoved(schema: JsonObject, name: string, to: number): JsonObject {
  const names = fieldsOf(schema).map((field) => field.name);
  const others = names.filter((each) => each !== name);
  const order = [...others.slice(0, to), name, ...others.slice(to)];
  const properties = propertiesOf(schema);
  const moved = withProperties(
    schema,
    order.map((each) => [each, properties[each] as Json] as const),
  );
  return isTexts(schema[orderKeyword]) || Object.keys(propertiesOf(moved)).join() !== order.join()
    ? { ...moved, [orderKeyword]: order }
    : moved;
}
