import { isJsonObject, JsonError, type JsonObject, parseJson } from "../core/lib/json.ts";
import { parseToml, TomlError } from "../core/lib/toml.ts";
import { parseYaml, YamlError } from "../core/lib/yaml.ts";
import { formatYaml } from "../core/lib/yaml-text.ts";

/**
 * The file of an entry: fields as YAML between two lines `---`, then the text of `content`. The whole file is the fields
 * where its extension is yaml, yml or json. Pages of other generators have TOML or JSON, too. Decision 56.
 */

/** Why a file is no entry. */
export class FrontMatterError extends Error {}

/** The fields in order, `content` in its place, and what of the file is not in them. */
export type FrontMatter = {
  data: JsonObject;
  /** YAML tags without effect. */
  tags: readonly string[];
  hasComments: boolean;
  /** What should end the fields and is missing. */
  unclosed?: string;
  /** A field `content` that the text below the fields replaces. */
  hasOtherContent: boolean;
  /** It has neither a text nor a field `content`. */
  isBare?: boolean;
};

type Fields = Pick<FrontMatter, "data" | "tags" | "hasComments">;

/** How fields are written: what begins and ends them, and what reads them. */
type Form = { mark: string; open: RegExp; close: RegExp; read(text: string): Fields };

/** `close` is between line feeds: `^` with the flag m would also match after U+2028. */
const yamlForm: Form = {
  mark: "---",
  open: /^---[ \t]*(?:\r?\n|$)/,
  close: /(?<![^\n])---[ \t]*\r?(?![^\n])/,
  read: fieldsOf,
};
/** What generators of sites accept besides: Jekyll's three dots, and the TOML of Hugo and Zola. */
const pageForms: readonly Form[] = [
  { ...yamlForm, close: /(?<![^\n])(?:---|\.\.\.)[ \t]*\r?(?![^\n])/ },
  {
    mark: "+++",
    open: /^\+\+\+[ \t]*(?:\r?\n|$)/,
    close: /(?<![^\n])\+\+\+[ \t]*\r?(?![^\n])/,
    read: (text) => {
      const { value, hasComments } = parsed("TOML", () => parseToml(text));
      return { data: value, tags: [], hasComments };
    },
  },
];

/** Reads the file; `page` is a Markdown file of a generator of sites. Throws FrontMatterError. */
export function parseFrontMatter(text: string, extension: string): FrontMatter {
  const file = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (extension === "json") return { ...jsonFields(file), hasOtherContent: false };
  if (extension !== "md" && extension !== "page") return { ...fieldsOf(file), hasOtherContent: false };
  return (extension === "page" && jsonPage(file)) || parseMarkdown(file, extension === "md" ? [yamlForm] : pageForms);
}

function parseMarkdown(file: string, forms: readonly Form[]): FrontMatter {
  const front = file.trimStart();
  const form = forms.find(({ open }) => open.test(front));
  if (!form) return contentOnly(file);
  const rest = front.replace(form.open, "");
  const close = form.close.exec(rest);
  if (!close) return { ...contentOnly(file), unclosed: `second line ${form.mark}` };
  return withContent(form.read(rest.slice(0, close.index)), bodyOf(rest.slice(close.index + close[0].length)), rest);
}

const contentOnly = (file: string): FrontMatter => ({
  data: new Map([["content", bodyOf(file)]]),
  isBare: bodyOf(file) === "",
  tags: [],
  hasComments: false,
  hasOtherContent: false,
});

/** An object that begins the file, as Hugo reads it; a brace that begins something else is text. */
function jsonPage(file: string): FrontMatter | undefined {
  const front = file.trimStart();
  if (!/^\{\s*["}]/.test(front)) return undefined;
  const end = endOfObject(front);
  if (end === undefined) return { ...contentOnly(file), unclosed: "closing }" };
  if (!/^[ \t]*\r?(?:\n|$)/.test(front.slice(end, end + 1000))) return undefined;
  return withContent(jsonFields(front.slice(0, end)), bodyOf(front.slice(end)), "");
}

/** Behind the brace that ends the object; undefined without one. */
function endOfObject(text: string): number | undefined {
  let depth = 0;
  for (const { 0: part, index } of text.matchAll(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[{}]/g)) {
    if (part === "{") depth++;
    if (part === "}" && --depth === 0) return index + 1;
  }
  return undefined;
}

const jsonFields = (text: string): Fields => ({
  data: objectOf(parsed("JSON", () => parseJson(text))),
  tags: [],
  hasComments: false,
});

/** The original trims these, and so does what is written below. */
const trimmed = (text: string): string => text.replace(/^[ \t\n\r\0\v]+/, "").replace(/[ \t\n\r\0\v]+$/, "");

/**
 * The text of `content`, without blank lines around it; its first line keeps its indent, which Markdown means. Throws
 * FrontMatterError for U+0000, which no data has.
 */
function bodyOf(text: string): string {
  const body = text.replace(/^(?:[ \t\r\0\v]*\n)+/, "").replace(/[ \t\n\r\0\v]+$/, "");
  if (body.includes("\0")) throw new FrontMatterError("its text holds U+0000");
  return body;
}

/** How an export says that `content` is not the last field: only then the order of fields is the same again. */
const placed = /^# octavo: content is field (\d{1,6})\r?$/m;

/** A field `content` without a text below it stays; otherwise the text is the content. */
function withContent(read: Fields, content: string, front: string): FrontMatter {
  const { data } = read;
  const other = data.get("content");
  if (content === "" && other !== undefined) return { ...read, hasOtherContent: false };
  const hasOtherContent = other !== undefined && other !== null && other !== "" && other !== content;
  if (content === "") return { ...read, data: data.set("content", ""), hasOtherContent, isBare: true };
  data.delete("content");
  const place = placed.exec(front.slice(0, 100))?.[1];
  if (place === undefined) return { ...read, data: data.set("content", content), hasOtherContent };
  const fields = [...data];
  fields.splice(Number(place) - 1, 0, ["content", content]);
  return { ...read, data: new Map(fields), hasOtherContent };
}

function fieldsOf(text: string): Fields {
  const { value, tags, hasComments } = parsed("YAML", () => parseYaml(text.replaceAll("\r\n", "\n")));
  return { data: value === null ? new Map() : objectOf(value), tags, hasComments };
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value as JsonObject)) return value as JsonObject;
  throw new FrontMatterError("its fields are no object");
}

function parsed<T>(format: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const isKnown = error instanceof YamlError || error instanceof JsonError || error instanceof TomlError;
    throw isKnown ? new FrontMatterError(`its fields cannot be read as ${format}: ${error.message}`) : error;
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
