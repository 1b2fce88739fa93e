import { parseBoolean } from "../core/lib/flag.ts";
import { describeJson, isJsonObject, type Json, type JsonObject, jsonDepth } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { parseTime } from "../core/lib/time.ts";
import { checkAll, problem } from "../core/problem.ts";
import { type EntryInput, maxDataDepth, refuseTooLarge } from "./entry.ts";
import {
  type SettableField,
  type SettableFields,
  serviceFields,
  settableFields,
  type Visibility,
  visibilities,
} from "./field.ts";

/** Reading the `data` of a request. Contract §4. */

/** The `data` of a request, validated: the client's own keys, and the service's fields that it sets. */
export type EntryData = { own: JsonObject; fields: SettableFields };

/**
 * Validates the `data` argument. Removes the service's keys from it in place, so that a client can send back an object
 * that it has read. Throws field_invalid, argument_invalid (not an object, too deep).
 */
export function parseEntryData(data: Json | undefined): EntryData {
  if (!isJsonObject(data)) {
    throw problem("argument_invalid", {
      argument: "data",
      received: describeJson(data),
      accepted: "an object of fields",
    });
  }
  if (jsonDepth(data) > maxDataDepth) {
    throw problem("argument_invalid", {
      argument: "data",
      received: "a value nested deeper",
      accepted: `at most ${maxDataDepth} levels`,
    });
  }
  const fields: SettableFields = {};
  const checks: (() => void)[] = [];
  for (const [key, value] of data) {
    if (!serviceFields.has(key)) continue;
    data.delete(key);
    const field = settableFields.find(({ name }) => name === key);
    if (field) checks.push(() => Object.assign(fields, { [field.key]: readers[field.kind](key, value) }));
  }
  checkAll(...checks);
  return { own: data, fields };
}

/** The data as the store takes it. Throws, or rejects: data_too_large. */
export function toEntryInput(
  { own, fields }: EntryData,
  rest: Pick<EntryInput, "isMergePatch" | "maxKeys">,
): MaybePromise<EntryInput> {
  return after(formatJsonLater(own), (data) => {
    refuseTooLarge(data);
    return { data, fields, ...rest };
  });
}

/** The value of a field by its kind; null for one that is sent as unset. */
const readers: Readonly<Record<SettableField["kind"], (field: string, value: Json) => unknown>> = {
  date: (field, value) => (isUnset(value) ? null : readTime(field, value)),
  text: readString,
  flag: (field, value) => (isUnset(value) ? null : readBoolean(field, value)),
  visibility: (field, value) => (isUnset(value) ? null : readVisibility(field, value)),
};

const isUnset = (value: Json): boolean => value === null || value === "";

function readTime(field: string, value: Json): number {
  const time = typeof value === "number" || typeof value === "string" ? parseTime(value) : undefined;
  if (time !== undefined) return time;
  throw fieldInvalid(field, value, "Unix seconds, an ISO 8601 date, Y-m-d H:i[:s] or d-m-Y H:i");
}

function readString(field: string, value: Json): string | null {
  if (value === null || typeof value === "string") return value;
  throw fieldInvalid(field, value, "a text");
}

function readBoolean(field: string, value: Json): boolean {
  const flag = parseBoolean(value === 0 || value === 1 ? String(value) : value);
  if (flag !== undefined) return flag;
  throw fieldInvalid(field, value, "true, false, 1 or 0");
}

function readVisibility(field: string, value: Json): Visibility {
  const visibility = visibilities.find((name) => name === value);
  if (visibility) return visibility;
  throw fieldInvalid(field, value, visibilities.join(", "));
}

function fieldInvalid(field: string, value: Json, accepted: string): Error {
  return problem("field_invalid", { argument: `data.${field}`, received: describeJson(value), accepted });
}
