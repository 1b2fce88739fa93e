import { formatJson, type Json, type JsonObject } from "../core/lib/json.ts";
import { parseTime } from "../core/lib/time.ts";
import { quote } from "../core/problem-row.ts";
import type { SettableFields } from "../entry/field.ts";
import { FrontMatterError, parseFrontMatter } from "./front-matter.ts";
import { type Project, UnreadableFile } from "./moving.ts";

/**
 * When a page of a static site generator is public: what Hugo, Jekyll, Zola and others say in front matter and in names,
 * as the service's own fields. In doubt a page is not public. Decision 56.
 */

type Generator = "hugo" | "zola" | "obsidian";

/** The folder of a generator, as far as it shows which it is. */
export class Site {
  private readonly project: Project;
  private readonly generator: Generator | undefined;
  /** By folder: whether its page makes a draft of all below it. */
  private readonly sections = new Map<string, boolean>();

  constructor(project: Project) {
    this.project = project;
    this.generator = generatorOf(project);
  }

  /** Zola and Obsidian do not read a future `date` as "not yet". */
  get readsDates(): boolean {
    return this.generator !== "zola" && this.generator !== "obsidian";
  }

  /** The folder above the page that Zola leaves out with all below it: its `_index.md` is a draft. */
  draftSection(path: string): string | undefined {
    if (this.generator === "hugo" || this.generator === "obsidian") return undefined;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (this.isDraft(folder)) return folder;
    }
    return undefined;
  }

  private isDraft(folder: string): boolean {
    const known = this.sections.get(folder) ?? isDraftSection(textAt(this.project, `${folder}/_index.md`));
    this.sections.set(folder, known);
    return known;
  }
}

function generatorOf(project: Project): Generator | undefined {
  if (project.kindOf(".obsidian") === "folder") return "obsidian";
  if (project.kindOf("zola.toml") === "file") return "zola";
  if (["hugo.toml", "hugo.yaml", "hugo.json"].some((name) => project.kindOf(name) === "file")) return "hugo";
  const config = textAt(project, "config.toml");
  // Hugo writes baseURL, in any case of letters.
  if (/^\s*base_url\s*=/m.test(config)) return "zola";
  return /^\s*baseurl\s*=/im.test(config) ? "hugo" : undefined;
}

/** Empty for a file that is not there or cannot be read. */
function textAt(project: Project, path: string): string {
  if (project.kindOf(path) !== "file") return "";
  try {
    return Buffer.from(project.read(path, maxBytes)).toString();
  } catch (error) {
    if (error instanceof UnreadableFile) return "";
    throw error;
  }
}

const maxBytes = 4 * 1024 * 1024;

function isDraftSection(text: string): boolean {
  // Only Zola's front matter counts: a draft of Hugo in YAML is the page of the section alone.
  if (!text.trimStart().startsWith("+++")) return false;
  try {
    return flagOf(parseFrontMatter(text, "page").data.get("draft") ?? null) === true;
  } catch (error) {
    if (error instanceof FrontMatterError) return false;
    throw error;
  }
}

type Page = {
  data: JsonObject;
  path: string;
  stated: SettableFields;
  site: Site;
  /** Its front matter has no end, so nothing of it was read. */
  isUnclosed: boolean;
};

export type Publication = Pick<SettableFields, "visibility" | "publishedAt">;

/**
 * The fields that the page sets besides `stated`, which it has under the service's own names: a draft, or the time at which
 * it is published. Adds a note for each.
 */
export function publicationOf(page: Page, nowSeconds: number, notes: string[]): Publication {
  const fields = new Map([...page.data].map(([key, value]) => [key.toLowerCase(), { key, value }]));
  const reader = new PageReader(fields, notes);
  const states = [
    reader.isDraft(page),
    reader.isUnread(page),
    reader.isExpired(nowSeconds),
    reader.isAwaitingUnreadable(),
  ];
  const isDraft = states.includes(true);
  const publishedAt = reader.publishedAt(page, nowSeconds);
  return { ...(isDraft && { visibility: "draft" }), ...(publishedAt !== undefined && { publishedAt }) };
}

type Field = { key: string; value: Json };

/** Hugo takes the first of these that is there, in any case of letters. */
const publishKeys = ["publishdate", "pubdate", "published"];
const expiryKeys = ["expirydate", "unpublishdate"];

class PageReader {
  private readonly fields: ReadonlyMap<string, Field>;
  private readonly notes: string[];

  constructor(fields: ReadonlyMap<string, Field>, notes: string[]) {
    this.fields = fields;
    this.notes = notes;
  }

  isDraft({ path, site }: Page): boolean {
    const field = this.flag("draft", true) ?? this.flag("published", false) ?? this.flag("publish", false);
    const folder = draftFolder.test(path) ? "_drafts" : undefined;
    const section = field || folder ? undefined : site.draftSection(path);
    if (field) this.note("its front matter makes it a draft", field);
    else if (folder) this.notes.push(`its folder makes it a draft: ${quote(folder)}`);
    else if (section) this.notes.push(`its section is a draft, with all below it: ${quote(section)}`);
    return (field ?? folder ?? section) !== undefined;
  }

  /** A rule (`---`) may begin a text, too. */
  isUnread({ isUnclosed, data }: Page): boolean {
    const isFront = isUnclosed && /^(?:\{|\S+[^\n]*\n)\s*["\w][\w"-]*\s*[:=]/.test(String(data.get("content")));
    if (isFront) this.notes.push("its front matter cannot be read, so it is a draft");
    return isFront;
  }

  isExpired(nowSeconds: number): boolean {
    const field = this.timeField(expiryKeys);
    if (!field) return false;
    const time = timeOf(field.value);
    if (time === undefined) this.note("the time cannot be read, so it is a draft", field);
    else if (time <= nowSeconds) this.note("it has expired and is a draft", field);
    else this.note("it stays public after it has expired: nothing here ends by itself", field);
    return time === undefined || time <= nowSeconds;
  }

  isAwaitingUnreadable(): boolean {
    const field = this.timeField(publishKeys);
    if (!field || timeOf(field.value) !== undefined) return false;
    this.note("the time cannot be read, so it is a draft", field);
    return true;
  }

  /** A time ahead of the clock. */
  publishedAt({ path, stated, site }: Page, nowSeconds: number): number | undefined {
    const field =
      this.timeField(publishKeys) ?? (!site.readsDates || stated.publishedAt ? undefined : this.dateField(path));
    const time = field && timeOf(field.value);
    if (!field || time === undefined || time <= nowSeconds || time <= (stated.publishedAt ?? 0)) return undefined;
    this.note("it is scheduled", field);
    return time;
  }

  /** Jekyll's posts have their date in their name, too. */
  private dateField(path: string): Field | undefined {
    const named = datedPost.exec(path)?.[1];
    return this.timeField(["date"]) ?? (named === undefined ? undefined : { key: "its name", value: named });
  }

  private timeField(keys: readonly string[]): Field | undefined {
    return keys.map((key) => this.fields.get(key)).find((field) => field && !isNoTime(field.value));
  }

  private flag(key: string, is: boolean): Field | undefined {
    const field = this.fields.get(key);
    return field && flagOf(field.value) === is ? field : undefined;
  }

  private note(why: string, { key, value }: Field): void {
    const text = typeof value === "string" ? value : formatJson(value);
    this.notes.push(`${why}: "${key}: ${text.slice(0, 80)}"`);
  }
}

const draftFolder = /(?:^|\/)_drafts\//;
const datedPost = /(?:^|\/)_posts\/(?:.*\/)?(\d{4}-\d{1,2}-\d{1,2})-[^/]*$/;

const isNoTime = (value: Json): boolean => value === null || value === "" || flagOf(value) !== undefined;

/** The booleans of YAML 1.1, which Jekyll reads, and texts and digits that stand for them. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1"].map((word): [string, boolean] => [word, true]),
  ...["false", "no", "off", "0"].map((word): [string, boolean] => [word, false]),
]);

const flagOf = (value: Json): boolean | undefined =>
  typeof value === "object" ? undefined : flags.get(String(value).toLowerCase());

const zoned =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[Tt\s]\s*(\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?$/i;
const month = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i;

/** The forms that the generators accept, beyond those of the service: other zones, one digit, names of months. */
function timeOf(value: Json): number | undefined {
  if (typeof value === "number") return parseTime(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const known = parseTime(text);
  if (known !== undefined) return known;
  const [, y, m = "", d = "", time = "00:00", zone = "Z"] = zoned.exec(text) ?? [];
  if (y !== undefined)
    return parseTime(
      `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}T${time.padStart(time.length > 5 ? 8 : 5, "0")}${offsetOf(zone)}`,
    );
  if (!month.test(text) || !/\d{4}/.test(text)) return undefined;
  const hasZone = /(?:Z|UTC|GMT|[A-Z]{2,4}|[+-]\d{2}:?\d{2})$/.test(text);
  const millis = Date.parse(hasZone ? text : `${text} UTC`);
  return Number.isNaN(millis) ? undefined : parseTime(Math.floor(millis / 1000));
}

function offsetOf(zone: string): string {
  const [, sign, hours = "", minutes = "00"] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign ? `${sign}${hours.padStart(2, "0")}:${minutes}` : "Z";
}
