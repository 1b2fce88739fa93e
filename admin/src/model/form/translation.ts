import type { ContentType } from "../../../../client/src/client.ts";
import { isNumber, isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { OpenedTranslation } from "../../api/staged.ts";
import { say } from "../../language/say.ts";
import { ownFields } from "../draft/draft.ts";
import { formOf, shapeOf } from "./root.ts";
import { type Field, readSchema } from "./schema.ts";

/** Which fields of an entry are translated, and how far each is. Contract, part four, §24. */

/** `staged`: it is written and not published. `empty`: there is nothing to translate. */
export type FieldState = "missing" | "outdated" | "staged" | "done" | "empty";

export const stateWords: Readonly<Record<Exclude<FieldState, "empty">, { label: string; color: string }>> = {
  missing: { label: say("Missing"), color: "gray" },
  outdated: { label: say("Outdated"), color: "red" },
  staged: { label: say("Not published"), color: "yellow" },
  done: { label: say("Done"), color: "teal" },
};

export function fieldState(key: string, { entry, copy, translation: { row, source } }: OpenedTranslation): FieldState {
  if (copy && row.staged.includes(key)) return "staged";
  if (row.outdated.includes(key)) return "outdated";
  if (Object.hasOwn(entry, key)) return "done";
  return isEmpty(source[key]) ? "empty" : "missing";
}

export const isEmpty = (value: Json | undefined): boolean => value === undefined || value === "";

/** The fields that can be translated: those that the type says, of an entry without a type all. */
export function translatable(
  { entry, translation: { source, row } }: OpenedTranslation,
  type: ContentType | undefined,
  all: readonly ContentType[],
): readonly Field[] {
  if (type) return formOf(shapeOf(type.id, all), source).fields.filter(({ shape }) => shape().localized !== false);
  const named = ownFields({ ...entry, ...source });
  // The service gives each entry an empty `content`.
  const keys = Object.keys(named).filter(
    (key) => key !== "fieldset" && (key !== "content" || !isEmpty(named[key]) || row.keys.includes(key)),
  );
  const first = ["title", "content"].filter((key) => keys.includes(key));
  const ordered = [...first, ...keys.filter((key) => !first.includes(key))];
  const schema = {
    type: "object",
    properties: Object.fromEntries(ordered.map((key) => [key, schemaOf(key, named[key])])),
  };
  return formOf(
    readSchema("", () => schema),
    source,
  ).fields;
}

/** A text that is longer than this gets more than a line. */
const longText = 80;
const anyLength = 1_000_000;

/** A schema by which a value like this is edited. */
function schemaOf(key: string, value: Json | undefined): JsonObject {
  const name: JsonObject = key === "title" ? { title: say("Title") } : {};
  if (typeof value === "string") {
    const isLong = value.length > longText || value.includes("\n");
    return { ...name, type: "string", ...(isLong && { maxLength: anyLength }) };
  }
  if (typeof value === "boolean") return { type: "boolean" };
  if (isNumber(value)) return { type: "number" };
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
    return { type: "array", items: { type: "string" } };
  return isObject(value) || Array.isArray(value) ? {} : { type: "string" };
}
