import { formatJson, isNumber, isSame, type Json, parseJson, parseNumber } from "../api/json.ts";

/** What a field is edited as. */
export type FieldKind = "text" | "number" | "switch" | "list" | "json";
export const fieldKinds: Record<FieldKind, { label: string; initial: Json }> = {
  text: { label: "Text", initial: "" },
  number: { label: "Number", initial: 0 },
  switch: { label: "Yes or no", initial: false },
  list: { label: "List of texts", initial: [] },
  json: { label: "JSON", initial: {} },
};

const isText = (value: Json): value is string => typeof value === "string";

export function kindOf(value: Json): FieldKind {
  if (isText(value)) return "text";
  if (typeof value === "boolean") return "switch";
  if (isNumber(value)) return "number";
  return Array.isArray(value) && value.every(isText) ? "list" : "json";
}

/** The value as another kind, or undefined where something of it would be lost. */
export function convert(value: Json, kind: FieldKind): Json | undefined {
  if (kind === kindOf(value)) return value;
  const text = asText(value);
  if (kind === "text") return text;
  if (kind === "list") return asList(value, text);
  if (kind === "switch") return switches.get(text.trim().toLowerCase());
  if (kind === "number") return text.trim() === "" || value === false ? 0 : value === true ? 1 : parseNumber(text);
  return text.trim() === "" ? null : asJson(text);
}

const switches = new Map([
  ...["", "false", "no", "0"].map((text) => [text, false] as const),
  ...["true", "yes", "1"].map((text) => [text, true] as const),
]);

function asText(value: Json): string {
  if (value === null) return "";
  if (isText(value)) return value;
  if (kindOf(value) === "list") {
    const joined = (value as string[]).join(", ");
    if (isSame(split(joined), value)) return joined;
  }
  return formatJson(value);
}

function asList(value: Json, text: string): string[] | undefined {
  if (value === null) return [];
  if (!isText(value)) return kindOf(value) === "json" ? undefined : [text];
  const read = asJson(text);
  return read !== undefined && kindOf(read) === "list" ? (read as string[]) : split(text);
}

const split = (text: string): string[] => (text.trim() === "" ? [] : text.trim().split(/\s*,\s*/));

/** What a text says as JSON, if the form edits that as JSON or as a list. */
function asJson(text: string): Json | undefined {
  try {
    const value = parseJson(text);
    return kindOf(value) === "json" || kindOf(value) === "list" ? value : undefined;
  } catch {
    return undefined;
  }
}
