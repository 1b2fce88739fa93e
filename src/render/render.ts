import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { ByteCache } from "../core/lib/byte-cache.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { type JsonPath, setAt } from "../core/lib/json-path.ts";
import { formatJsonLater, parseJsonLater } from "../core/lib/json-slices.ts";
import { joinLong, type LongText, wholeText } from "../core/lib/long-text.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { pauses } from "../core/lib/pause.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import { maxObjectDepth, type Projection, projectObject } from "../core/list/projection.ts";
import type { Asker } from "../core/list/query.ts";
import type { Slug } from "../core/path.ts";
import { isProblem } from "../core/problem.ts";
import { serviceFields } from "../entry/field.ts";
import type { CurrentTypes, TypeReads, Types } from "../type/check.ts";
import type { HtmlPlaces } from "./address.ts";

/** Entries whose prose is HTML: what `render=html` answers. Contract, part two, §10; decision 57. */

export type Render = "html" | "raw";
export const renders: readonly Render[] = ["html", "raw"];

/** Part of the ETag of each rendered answer: changes when the same text becomes other HTML. */
export const rendererVersion = "h3";

/** A text and the format that it is in. */
export type Prose = { readonly format: "markdown" | "html"; readonly text: string };

/** Who waits for HTML: the client, whose texts have their turns, and a signal that aborts when it disconnects. */
export type ProseAsker = Pick<Asker, "client" | "signal">;

export interface ProseRenderer {
  /**
   * Each text as sanitised HTML; undefined for one that cannot be rendered within the bounds of time, memory and length.
   * Clients have their turns, and so have the reads of one. Those that are not ready reject with busy when none of the
   * read's texts had its turn for too long, too many reads wait, or the client has left.
   */
  render(texts: readonly Prose[], asker: ProseAsker): Promise<string | undefined>[];
}

const textCacheBytes = 32 * 1024 * 1024;
/** Longer HTML is kept as bytes: most of it takes half the memory that its length as a string may take. */
const longHtml = 4096;
const overheadBytes = 200;
const maxKnownCostly = 1000;

/** What finding the texts of one read may take, on the thread of requests. */
const maxMarksMs = 1000;
/** Texts of a read that are looked up and rendered before other work of the thread has its turn. */
const textsAtOnce = 1000;

/** A text of an entry that is rendered, and where it is. */
type PlacedProse = Prose & { readonly path: JsonPath };

export class EntryRenderer {
  private readonly types: TypeReads;
  private readonly prose: ProseRenderer;
  /** By format and text: the same text becomes the same HTML in every entry. */
  private readonly known = new ByteCache<{ html: string | Buffer }>(
    textCacheBytes,
    ({ html }) => overheadBytes + (typeof html === "string" ? 2 : 1) * html.length,
  );
  /** Texts that could not be rendered: they would take their whole time again at each read. */
  private readonly costly = new Set<string>();

  constructor(types: TypeReads, prose: ProseRenderer) {
    this.types = types;
    this.prose = prose;
  }

  /** What decides which texts of an entry are rendered: another object whenever it changes. */
  current(): MaybePromise<CurrentTypes> {
    return this.types.current();
  }

  /** The entry object with HTML for its prose, as JSON text; `json` is that of the entry as it is stored. */
  async entry(
    json: string,
    projection: Projection | undefined,
    asker: ProseAsker,
    places: HtmlPlaces,
  ): Promise<string> {
    const object = (await parseJsonLater(json, maxObjectDepth)) as JsonObject;
    await this.renderAll([object], asker, places);
    return formatJsonLater(projection ? projectObject(object, projection) : object);
  }

  /** The answer of a collection, which `list` reads, with HTML for the prose of its entries. */
  async collection(
    query: CollectionQuery,
    asker: ProseAsker,
    places: HtmlPlaces,
    list: (query: CollectionQuery) => MaybePromise<CollectionAnswer>,
  ): Promise<CollectionAnswer> {
    if (query.returns === "exists" || query.returns === "count") return list(query);
    // A projection may leave out what decides which texts are prose: the id and the field `fieldset`.
    const answer = await list({ ...query, projection: undefined });
    const value = await parseJsonLater(wholeText(answer.json), maxObjectDepth + 2);
    await this.renderAll(entriesIn(value, query), asker, places);
    const included = answer.included && (await this.included(answer.included, asker, places));
    return { ...answer, json: await formatPage(value, query), ...(included && { included }) };
  }

  /** What a read includes, `{entries, files}`, with HTML for the prose of its entries. */
  async included(json: LongText, asker: ProseAsker, places: HtmlPlaces): Promise<LongText> {
    const value = (await parseJsonLater(wholeText(json), maxObjectDepth + 2)) as JsonObject;
    await this.renderAll([...(value.get("entries") as JsonObject).values()] as JsonObject[], asker, places);
    return formatJsonLater(value);
  }

  /** Replaces the prose in the objects. */
  private async renderAll(entries: readonly JsonObject[], asker: ProseAsker, files: HtmlPlaces): Promise<void> {
    const places: { entry: JsonObject; place: PlacedProse }[] = [];
    const pause = pauses();
    const types = (await this.current()).types?.together(maxMarksMs);
    for (const entry of entries) {
      for (const place of await placesOf(entry, types)) places.push({ entry, place });
      await pause();
    }
    for (let at = 0; at < places.length; at += textsAtOnce) {
      const some = places.slice(at, at + textsAtOnce);
      const html = await this.htmlOf(
        some.map(({ place }) => place),
        asker,
      );
      const placed = await files.place(html);
      for (const [i, { entry, place }] of some.entries()) setAt(entry, place.path, placed[i] as string);
      if (at + textsAtOnce < places.length) await setImmediate();
    }
  }

  private async htmlOf(texts: readonly Prose[], asker: ProseAsker): Promise<string[]> {
    const keys = texts.map(keyOf);
    const missing = new Map<string, Prose>();
    const found = new Map<string, string | undefined>();
    for (const [i, key] of keys.entries()) {
      const known = this.costly.has(key) ? undefined : this.known.get(key);
      if (known || this.costly.has(key)) found.set(key, known?.html.toString());
      else missing.set(key, texts[i] as Prose);
    }
    if (missing.size > 0) await this.renderMissing(missing, found, asker);
    return texts.map((prose, i) => found.get(keys[i] as string) ?? asSource(prose));
  }

  /** Keeps each text that is rendered, also for a read that is refused: the next one goes on from there. */
  private async renderMissing(
    missing: ReadonlyMap<string, Prose>,
    found: Map<string, string | undefined>,
    asker: ProseAsker,
  ): Promise<void> {
    const keys = [...missing.keys()];
    const keep = (key: string, html: string | undefined) => {
      found.set(key, html);
      if (html === undefined) this.noteCostly(key);
      else this.known.put(key, { html: html.length > longHtml ? Buffer.from(html) : html });
    };
    const rendered = this.prose.render([...missing.values()], asker);
    await Promise.all(rendered.map((one, i) => one.then((html) => keep(keys[i] as string, html))));
  }

  private noteCostly(key: string): void {
    if (this.costly.size >= maxKnownCostly) this.costly.clear();
    this.costly.add(key);
  }
}

/** The texts that the entry's type marks, and `content` unless the type speaks of it. */
async function placesOf(entry: JsonObject, types: Types | undefined): Promise<PlacedProse[]> {
  const data = new Map([...entry].filter(([key]) => !serviceFields.has(key)));
  const { marked, namesContent } = await marksOf(entry, data, types);
  const places = new Map<string, PlacedProse>();
  for (const { path, mark, value } of marked) {
    if (mark !== "markdown" && mark !== "html") continue;
    const key = JSON.stringify(path);
    // Marked as both, it is Markdown, which may hold HTML.
    if (mark === "markdown" || !places.has(key)) places.set(key, { path, format: mark, text: value });
  }
  const content = data.get("content");
  if (!namesContent && typeof content === "string")
    places.set('["content"]', { path: ["content"], format: "markdown", text: content });
  return [...places.values()].filter(({ text }) => text !== "");
}

async function marksOf(entry: JsonObject, data: JsonObject, types: Types | undefined) {
  const none = { marked: [], namesContent: false };
  const type = types?.typeOf(entry.get("slug") as Slug, data.get("fieldset"));
  if (!types || type === undefined) return none;
  return types.marksOf(type, data).catch((error: unknown) => {
    // The type was deleted since the types were read.
    if (isProblem(error, "schema_invalid")) return none;
    if (!isProblem(error, "type_too_costly")) throw error;
    // Any text may be one that a site puts into a page as HTML.
    for (const [key, value] of data) if (key !== "content") entry.set(key, allAsSource(value));
    return none;
  });
}

function allAsSource(value: Json): Json {
  if (typeof value === "string") return asSource({ text: value });
  if (Array.isArray(value)) return value.map(allAsSource);
  return isJsonObject(value) ? new Map([...value].map(([key, member]) => [key, allAsSource(member)])) : value;
}

const keyOf = ({ format, text }: Prose): string => hash("sha256", `${format} ${text}`, "base64url");

/**
 * What stands in the place of a text that cannot be rendered. A refusal would let one text keep a site from reading its
 * lists.
 */
const asSource = ({ text }: Pick<Prose, "text">): string =>
  `<pre>\n${text.replace(/[&<>"]/g, (odd) => escapes[odd] as string)}</pre>`;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The entries of an answer, whichever shape the query gives it. */
function entriesIn(value: Json, query: CollectionQuery): JsonObject[] {
  if (Array.isArray(value)) return value as JsonObject[];
  if (!isJsonObject(value)) return [];
  return isGrouped(query) ? ([...value.values()].flat() as JsonObject[]) : [value];
}

const isGrouped = ({ groupBy, returns }: CollectionQuery): boolean => groupBy !== undefined && returns === "list";

/** The answer with its projection, as text. */
async function formatPage(value: Json, { projection, ...query }: CollectionQuery): Promise<LongText> {
  const one = (entry: Json): MaybePromise<string> =>
    formatJsonLater(projection && isJsonObject(entry) ? projectObject(entry, projection) : entry);
  const list = async (entries: readonly Json[]): Promise<string[]> => {
    const texts: string[] = [];
    for (const entry of entries) texts.push(`${texts.length > 0 ? "," : ""}${await one(entry)}`);
    return ["[", ...texts, "]"];
  };
  if (Array.isArray(value)) return joinLong(await list(value));
  if (!isJsonObject(value) || !isGrouped({ ...query, projection })) return one(value);
  const parts: string[] = ["{"];
  for (const [group, entries] of value) {
    parts.push(`${parts.length > 1 ? "," : ""}${JSON.stringify(group)}:`, ...(await list(entries as Json[])));
  }
  return joinLong([...parts, "}"]);
}
