import { isObject, type Json, type JsonObject } from "../../api/json.ts";

/** What the editor of a type asks of the objects in a schema. */

export const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** True for a schema of an object whose fields can be listed. */
export const hasFields = (schema: JsonObject): boolean =>
  (schema.properties === undefined || isObject(schema.properties)) &&
  (schema.required === undefined || isTexts(schema.required));

/** The schema with keywords; undefined for true, false and what is no schema. */
export const objectOf = (schema: Json | undefined): JsonObject | undefined => (isObject(schema) ? schema : undefined);
