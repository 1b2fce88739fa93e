import { formatJson, isJsonObject, type Json, type JsonObject } from "./json.ts";
import { resolvePlain } from "./yaml.ts";

/**
 * Writes a value as YAML that a person can edit and that parseYaml reads back as the same value: block style, numbers as
 * they are, texts of several lines as blocks, everything in doubt in double quotes. parse(format(x)) = x.
 */

/** The object as lines, each with a line feed; the empty text for an empty object. */
export function formatYaml(object: JsonObject): string {
  return members(object, "");
}

const members = (object: JsonObject, indent: string): string => {
  let text = "";
  for (const [key, value] of object) text += `${indent}${keyText(key, indent)}${member(value, indent)}`;
  return text;
};

/** A key of more than 1,024 characters needs the explicit form. YAML 1.2 §8.2.2. */
const maxKeyLength = 900;

function keyText(key: string, indent: string): string {
  const text = key !== "<<" && isPlainText(key) ? key : quoted(key);
  return text.length > maxKeyLength ? `? ${text}\n${indent}:` : `${text}:`;
}

/** What follows a colon or a dash. */
function member(value: Json, indent: string): string {
  const below = `${indent}  `;
  if (isJsonObject(value)) return value.size === 0 ? " {}\n" : `\n${members(value, below)}`;
  if (!Array.isArray(value)) return ` ${scalar(value, below)}\n`;
  if (value.length === 0) return " []\n";
  return `\n${value.map((one) => `${below}-${member(one, below)}`).join("")}`;
}

function scalar(value: Json, indent: string): string {
  if (typeof value !== "string") return formatJson(value);
  if (isPlainText(value)) return value;
  return isBlock(value) ? block(value, indent) : quoted(value);
}

/** Begins with a letter, has no character with a meaning in YAML, and reads as a text. */
function isPlainText(text: string): boolean {
  return (
    text.length < 1000 && /^\p{L}(?:[\p{L}\p{N} _./()!;+&@-]*[\p{L}\p{N}_./()!;+&@-])?$/u.test(text) && !isWord(text)
  );
}

/** What this or an older YAML reads as something other than a text. */
const isWord = (text: string): boolean =>
  typeof resolvePlain(text) !== "string" || /^(?:y|n|yes|no|on|off|null|true|false)$/i.test(text);

const isBlock = (text: string): boolean =>
  text.includes("\n") &&
  /^[^\s]/.test(text) &&
  !/[^\S\n ]|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[ ]\n|[ ]$|\n\n$/.test(text);

/** A literal block; its lines keep their line feeds. */
function block(text: string, indent: string): string {
  const ends = text.endsWith("\n");
  const lines = (ends ? text.slice(0, -1) : text).split("\n");
  return [`|${ends ? "" : "-"}`, ...lines.map((row) => (row === "" ? "" : indent + row))].join("\n");
}

/** JSON's form, which is YAML's, too, with what YAML does not print escaped. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
