import { formatJson, isJsonObject, type Json, NumberText } from "../core/lib/json.ts";

/**
 * The syntax of TypeScript's types, as far as declarations of content types need it. Names and texts are an
 * administrator's and may be hostile: none leaves its comment, its string or its name.
 */

/** A type, and what joins its parts, if it has several. */
export type Text = { readonly text: string; readonly joint?: "|" | "&" };

const atom = ({ text, joint }: Text): string => (joint ? `(${text})` : text);
const distinct = (types: readonly Text[]): Text[] => [...new Map(types.map((type) => [type.text, type])).values()];

export function unionOf(types: readonly Text[]): Text {
  const kept = distinct(types).filter(({ text }) => text !== "never");
  const [first, second] = kept;
  if (!first) return { text: "never" };
  if (!second) return first;
  if (kept.some(({ text }) => text === "unknown")) return { text: "unknown" };
  return { text: kept.map((type) => (type.joint === "&" ? atom(type) : type.text)).join(" | "), joint: "|" };
}

export function intersectionOf(types: readonly Text[]): Text {
  const kept = distinct(types).filter(({ text }) => text !== "unknown");
  const [first, second] = kept;
  if (!first) return { text: "unknown" };
  if (!second) return first;
  return { text: kept.map((type) => (type.joint === "|" ? atom(type) : type.text)).join(" & "), joint: "&" };
}

export function arrayOf(prefix: readonly Text[], rest: Text, minItems: number): string {
  if (prefix.length === 0) return rest.text === "never" ? "[]" : `${atom(rest)}[]`;
  const items = prefix.map((item, i) => (i < minItems ? atom(item) : `${atom(item)}?`));
  return `[${[...items, ...(rest.text === "never" ? [] : [`...${atom(rest)}[]`])].join(", ")}]`;
}

type Member = { name: string; comment?: string; isOptional?: boolean; type: string };

/** An object type; `others` is the type of the members without a name. */
export function objectOf(members: readonly Member[], others?: string): string {
  const lines = members.map(
    ({ name, comment = "", isOptional, type }) => `${comment}${keyOf(name)}${isOptional ? "?" : ""}: ${type};`,
  );
  if (others !== undefined) lines.push(`[name: string]: ${others};`);
  return `${indented(["{", ...lines].join("\n"))}\n}`;
}

/** No line break in the text is part of a string. */
const indented = (text: string): string => text.replaceAll("\n", "\n  ");

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : stringOf(name));

/** A value as a type. */
export function literalOf(value: Json): Text {
  if (typeof value === "string") return { text: stringOf(value) };
  if (value instanceof NumberText || typeof value === "number") return { text: numberText(Number(formatJson(value))) };
  if (Array.isArray(value)) return { text: `[${value.map((item) => literalOf(item).text).join(", ")}]` };
  if (!isJsonObject(value)) return { text: String(value) };
  const members = [...value].map(([name, member]) => ({ name, type: literalOf(member).text }));
  return { text: objectOf(members, members.length === 0 ? "never" : undefined) };
}

const numberText = (value: number): string => (Number.isFinite(value) ? String(value === 0 ? 0 : value) : "number");

/** Characters that are not seen, or that change the order in which a text is shown. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const stringOf = (text: string): string => JSON.stringify(text).replace(unseen, escapeOf);

/** A comment with its line break; empty without a text. */
export function commentOf(text: string, isDeprecated = false): string {
  const lines = text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(lineOf);
  if (isDeprecated) lines.push("@deprecated");
  const kept = lines.filter((line) => line !== "" || text.trim() !== "");
  if (kept.length === 0) return "";
  if (kept.length === 1) return `/** ${kept[0]} */\n`;
  return `/**\n${kept.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** `@ts-expect-error` is a directive in a comment, too. */
const lineOf = (line: string): string =>
  line.replace(unseen, "").replaceAll("*/", "*\\/").replaceAll("@ts-", "\\@ts-").trim();

/** A name for a declaration: `blog-post` is BlogPost. */
export function nameOf(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => (word[0] as string).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
}
