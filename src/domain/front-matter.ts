import { isJsonObject, JsonError, type JsonObject, parseJson } from "../lib/json.ts";
import { parseYaml, YamlError } from "../lib/yaml.ts";
import { formatYaml } from "../lib/yaml-text.ts";

/**
 * The file of an entry: fields as YAML between two lines `---`, then the text of `content`. The whole file is the fields
 * where its extension is yaml, yml or json. Decision 56.
 */

/** Why a file is no entry. */
export class FrontMatterError extends Error {}

/** The fields in order, `content` in its place, the YAML tags without effect, and whether the second line `---` is missing. */
export type FrontMatter = { data: JsonObject; tags: readonly string[]; isUnclosed?: boolean };

const fence = /^---[ \t]*(?:\r?\n|$)/;
/** Between line feeds: `^` with the flag m would also match after U+2028. */
const closing = /(?<![^\n])---[ \t]*\r?(?![^\n])/;

/** Reads the file. Throws FrontMatterError. */
export function parseFrontMatter(text: string, extension: string): FrontMatter {
  const file = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (extension === "json") return { data: objectOf(parsed(() => parseJson(file))), tags: [] };
  if (extension !== "md") return fieldsOf(file);
  const open = fence.exec(file.trimStart());
  if (!open) return { data: new Map([["content", bodyOf(file)]]), tags: [] };
  const rest = file.trimStart().slice(open[0].length);
  const close = closing.exec(rest);
  if (!close) return { data: new Map([["content", bodyOf(file)]]), tags: [], isUnclosed: true };
  const { data, tags } = fieldsOf(rest.slice(0, close.index));
  return { data: withContent(data, bodyOf(rest.slice(close.index + close[0].length)), rest), tags };
}

/** The original trims these, and so does what is written below. */
const trimmed = (text: string): string => text.replace(/^[ \t\n\r\0\v]+/, "").replace(/[ \t\n\r\0\v]+$/, "");

/** The text of `content`. Throws FrontMatterError for U+0000, which no data has. */
function bodyOf(text: string): string {
  const body = trimmed(text);
  if (body.includes("\0")) throw new FrontMatterError("its text holds U+0000");
  return body;
}

/** How an export says that `content` is not the last field: only then the order of fields is the same again. */
const placed = /^# octavo: content is field (\d{1,6})\r?$/m;

/** A field `content` without a text below it stays; otherwise the text is the content. */
function withContent(data: JsonObject, content: string, front: string): JsonObject {
  if (content === "" && data.has("content")) return data;
  data.delete("content");
  const place = placed.exec(front.slice(0, 100))?.[1];
  if (place === undefined) return data.set("content", content);
  const fields = [...data];
  fields.splice(Number(place) - 1, 0, ["content", content]);
  return new Map(fields);
}

function fieldsOf(text: string): FrontMatter {
  const { value, tags } = parsed(() => parseYaml(text.replaceAll("\r\n", "\n")));
  return { data: value === null ? new Map() : objectOf(value), tags };
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value as JsonObject)) return value as JsonObject;
  throw new FrontMatterError("its fields are no object");
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof YamlError || error instanceof JsonError) throw new FrontMatterError(error.message);
    throw error;
  }
}

/** The file of an entry: its data with `content`, then the service's fields. parse(format(x)) = x. */
export function formatFrontMatter(data: JsonObject, service: JsonObject): string {
  const content = data.get("content");
  const isBody =
    typeof content === "string" && content !== "" && content === trimmed(content) && !content.includes("\r");
  const fields = new Map([...data, ...service]);
  if (!isBody) return `---\n${formatYaml(fields)}---\n`;
  fields.delete("content");
  const place = [...data.keys()].indexOf("content") + 1;
  const comment = place === data.size ? "" : `# octavo: content is field ${place}\n`;
  return `---\n${comment}${formatYaml(fields)}---\n${content}\n`;
}
