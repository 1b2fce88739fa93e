import { formatJson, isNumber, isObject, isSame, type Json, parseJson, parseNumber } from "../../api/json.ts";
import { say } from "../../language/say.ts";

/** The editor of a field's value. */
export type FieldKind = "text" | "number" | "switch" | "list" | "json";
export const fieldKinds: Record<FieldKind, { label: string; initial: Json }> = {
  text: { label: say("Text"), initial: "" },
  number: { label: say("Number"), initial: 0 },
  switch: { label: say("Yes or no"), initial: false },
  list: { label: say("List of texts"), initial: [] },
  json: { label: "JSON", initial: {} },
};

const isText = (value: Json): value is string => typeof value === "string";

export function kindOf(value: Json): FieldKind {
  if (isText(value)) return "text";
  if (typeof value === "boolean") return "switch";
  if (isNumber(value)) return "number";
  return Array.isArray(value) && value.every(isText) ? "list" : "json";
}

/** The value converted to another kind, or undefined where the conversion would lose data. */
export function convert(value: Json, kind: FieldKind): Json | undefined {
  if (kind === kindOf(value)) return value;
  const text = asText(value);
  if (kind === "text") return text;
  if (isObject(value) || (Array.isArray(value) && !isOneText(value))) return undefined;
  if (kind === "list") return asList(value, text);
  if (kind === "switch") return switches.get(text.trim().toLowerCase());
  if (kind === "number") return text.trim() === "" || value === false ? 0 : value === true ? 1 : parseNumber(text);
  if (!isText(value)) return undefined;
  return text.trim() === "" ? null : readAs("json", text);
}

const switches = new Map([
  ...["", "false", "no", "0"].map((text) => [text, false] as const),
  ...["true", "yes", "1"].map((text) => [text, true] as const),
]);

const isOneText = (list: Json[]): boolean => list.length === 1 && list.every(isText);

function asText(value: Json): string {
  if (value === null) return "";
  if (isText(value)) return value;
  if (kindOf(value) === "list") {
    const joined = (value as string[]).join(", ");
    if (isSame(split(joined), value)) return joined;
  }
  return formatJson(value);
}

function asList(value: Json, text: string): Json {
  if (isText(value)) return readAs("list", text) ?? split(text);
  return value === null ? [] : [text];
}

const split = (text: string): string[] => (text.trim() === "" ? [] : text.split(",").map((part) => part.trim()));

/** The text parsed as JSON, if the value is of the kind. */
function readAs(kind: FieldKind, text: string): Json | undefined {
  try {
    const value = parseJson(text);
    return kindOf(value) === kind ? value : undefined;
  } catch {
    return undefined;
  }
}
