import { describeJson, isJsonObject, type Json } from "../lib/json.ts";
import { joinLong, type LongText } from "../lib/long-text.ts";
import { pauses } from "../lib/pause.ts";
import { isPath, isPlainPath, type Path, rootPath } from "../path.ts";
import { problem } from "../problem.ts";
import { valueAt } from "./value.ts";

/**
 * Things that are sent along with entries because fields of these refer to them. A field refers by a text that is the id
 * of an entry or the path of a file, or by a list of such texts. Contract, part two, §10; decision 59.
 */

/** A text that refers to a thing, and the field of that thing from where it goes on; empty at the end. */
export type Reference = { readonly to: Path; readonly rest: string };

const maxFields = 10;
const maxDepth = 3;
/** What a reply includes at most, in things and in bytes of their JSON text. */
export const maxIncluded = 1000;
export const maxIncludedBytes = 16 * 1024 * 1024;
/** The references that a reply follows at most, also those that lead to nothing. */
const maxReferences = 10_000;
/** The references from included things that are held in memory at a time, those to the same thing as well. */
const maxHeldReferences = 100_000;
/** Things that are read before their sizes are known. */
const readAtOnce = 100;

const accepted = `at most ${maxFields} names of fields, separated by commas, each of at most ${maxDepth} parts: author,tags.parent`;

/** The fields to follow, each once; none when absent or empty. Throws argument_invalid. */
export function parseInclude(sent: Json | undefined, argument: string): string[] {
  if (sent === undefined) return [];
  const refuse = (value: Json) => problem("argument_invalid", { argument, received: describeJson(value), accepted });
  const texts = Array.isArray(sent) ? sent : [sent];
  const fields = texts.flatMap((text) => {
    if (typeof text !== "string") throw refuse(text);
    return text === "" ? [] : text.split(",").map((field) => field.trim());
  });
  for (const field of fields) {
    const parts = field.split(".");
    if (parts.includes("") || parts.length > maxDepth) throw refuse(field);
  }
  const found = [...new Set(fields)];
  if (found.length > maxFields) throw refuse(found.join(","));
  return found;
}

/** What these fields of an object refer to, each once; one more than a reply may follow at most. */
export function referencesOf(object: Json, fields: readonly string[]): Reference[] {
  const found: Reference[] = [];
  const met = new Met();
  for (const field of fields) {
    for (const reference of referencesAt(object, field)) {
      if (met.add(reference)) found.push(reference);
      if (found.length > maxReferences) return found;
    }
  }
  return found;
}

/** Which of these fields an object has, or a field from where the name goes on in another thing. */
export const leadsOf = (object: Json, fields: readonly string[]): boolean[] =>
  fields.map((field) => valueAt(object, field) !== undefined || valueAt(object, leadOf(field)) !== undefined);

/** The first part of a field's name. */
export const leadOf = (field: string): string => field.split(".", 1)[0] as string;

/** A set of references. */
class Met {
  private readonly paths = new Map<string, Set<Path>>();
  size = 0;

  /** False where it was added before. */
  add({ to, rest }: Reference): boolean {
    const paths = this.paths.get(rest);
    if (paths?.has(to)) return false;
    if (paths) paths.add(to);
    else this.paths.set(rest, new Set([to]));
    this.size++;
    return true;
  }
}

/** As in valueAt, a key that equals the whole rest of the name takes precedence over nesting. */
function* referencesAt(value: Json | undefined, rest: string): Generator<Reference> {
  if (typeof value === "string") {
    const to = toPath(value);
    if (to !== undefined) yield { to, rest };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* referencesAt(item, rest);
  } else if (isJsonObject(value) && rest !== "") {
    const dot = rest.indexOf(".");
    if (dot < 0 || value.has(rest)) yield* referencesAt(value.get(rest), "");
    else yield* referencesAt(value.get(rest.slice(0, dot)), rest.slice(dot + 1));
  }
}

/** The path that a text names, as the path of a request does. */
function toPath(text: string): Path | undefined {
  if (isPlainPath(text)) return text;
  // Most texts that refer to nothing are long.
  if (text === "" || text.length > maxReferenceLength || !text.isWellFormed()) return undefined;
  const trimmed = text.replace(/^\/+|\/+$/g, "").normalize("NFC");
  return trimmed !== rootPath && isPath(trimmed) ? trimmed : undefined;
}

const maxReferenceLength = 1026;

/** A thing that a reference leads to. */
export type Included = {
  kind: "entry" | "file";
  /** The object as JSON text, and its length as UTF-8. */
  json: string;
  jsonBytes: number;
  /** Its fields, for references that go on; a file has none that lead anywhere. */
  fields?(): Json;
};

/** Reads what is at these paths, in their order: nothing where there is nothing that the caller may see. */
export type ReadThings = (paths: readonly Path[]) => Promise<(readonly Included[])[]>;

/** About how many bytes things take that these references lead to, so that memory can be claimed before. */
export const usualBytes = (references: number): number => Math.min(maxIncludedBytes, references * usualThingBytes);
const usualThingBytes = 32 * 1024;
/** So few references need no claim. */
export const fewReferences = 100;

/** What the first `fits` items include: the rest would pass the bounds of a reply. */
export type Inclusion = { fits: number; json: LongText };

/**
 * Reads what these items refer to, level by level: with as few reads as the sizes of the things allow.
 *
 * @param items the references of each item, in the order of the reply
 */
export async function include(items: readonly (readonly Reference[])[], read: ReadThings): Promise<Inclusion> {
  const known: ReadSteps = new Map();
  let followed = follow(items, known);
  for (let level = 0; level < maxDepth && followed.unread.size > 0; level++) {
    await readLevel(followed.unread, known, read);
    followed = follow(items, known);
  }
  const { fits, things } = followed.unread.size > 0 ? follow(items, known, true) : followed;
  return { fits, json: joinLong(format(things)) };
}

/** What is at a path, and what its fields refer to: by the name that goes on. */
type IncludeStep = { readonly things: readonly Included[]; next?: Map<string, readonly Reference[]> };
type ReadSteps = Map<Path, IncludeStep>;
/** Paths, and the names that go on from there. */
type Unread = Map<Path, string[]>;
const noReferences: readonly Reference[] = [];

/** Stops when what it read is more than a reply may have: the items that refer to the rest are past the bound. */
async function readLevel(unread: Unread, known: ReadSteps, read: ReadThings): Promise<void> {
  const all = [...unread];
  const pause = pauses();
  let [count, bytes, references] = [0, 0, 0];
  const isPast = () => count > maxIncluded || bytes > maxIncludedBytes || references > maxHeldReferences;
  for (let at = 0; at < all.length && !isPast(); at += readAtOnce) {
    const some = all.slice(at, at + readAtOnce);
    const paths = some.map(([path]) => path).filter((path) => !known.has(path));
    for (const [i, things] of (paths.length > 0 ? await read(paths) : []).entries()) {
      known.set(paths[i] as Path, { things });
      count += things.length;
      for (const { jsonBytes } of things) bytes += jsonBytes;
    }
    for (const [path, rests] of some) {
      const place = known.get(path) as IncludeStep;
      const missing = rests.filter((rest) => rest !== "" && !place.next?.has(rest));
      if (missing.length === 0) continue;
      references += goOn(place, missing);
      if (references > maxHeldReferences) break;
      await pause();
    }
  }
}

/** Notes what the things refer to by these names, each thing parsed once; returns how many references. */
function goOn(place: IncludeStep, rests: readonly string[]): number {
  place.next ??= new Map();
  const objects = place.things.flatMap(({ fields }) => (fields ? [fields()] : []));
  let count = 0;
  for (const rest of rests) {
    const references = objects.flatMap((object) => referencesOf(object, [rest]));
    place.next.set(rest, references);
    count += references.length;
  }
  return count;
}

type Followed = {
  fits: number;
  things: Map<Path, readonly Included[]>;
  /** Paths that were met and not read, in the order of the items. */
  unread: Unread;
};

/** Follows the references of one item after the other, until one passes the bounds, or at the end one was not read. */
function follow(items: readonly (readonly Reference[])[], known: ReadSteps, isEnd = false): Followed {
  const things = new Map<Path, readonly Included[]>();
  const unread: Unread = new Map();
  const met = new Met();
  let [fits, count, bytes] = [0, 0, 0];
  const isPast = () => count > maxIncluded || bytes > maxIncludedBytes || met.size > maxReferences;
  for (const references of items) {
    const added: Path[] = [];
    const left = references.filter((reference) => met.add(reference));
    // What a thing refers to is appended while the list is read.
    for (const { to, rest } of left) {
      if (isPast()) break;
      const found = known.get(to);
      const next = rest === "" ? noReferences : found?.next?.get(rest);
      if (!found || !next) noteUnread(unread, to, rest);
      if (found && !things.has(to)) {
        things.set(to, found.things);
        added.push(to);
        count += found.things.length;
        for (const { jsonBytes } of found.things) bytes += jsonBytes;
      }
      for (const reference of next ?? noReferences) if (met.add(reference)) left.push(reference);
    }
    if (isPast() || (isEnd && unread.size > 0)) {
      for (const path of added) things.delete(path);
      break;
    }
    fits++;
  }
  return { fits, things, unread };
}

function noteUnread(unread: Unread, path: Path, rest: string): void {
  const rests = unread.get(path);
  if (!rests) unread.set(path, [rest]);
  else if (!rests.includes(rest)) rests.push(rest);
}

/** `{"entries":{<id>:…},"files":{<path>:…}}`, in the order of the references. */
function* format(things: ReadonlyMap<Path, readonly Included[]>): Generator<string> {
  yield '{"entries":{';
  yield* members(things, "entry");
  yield '},"files":{';
  yield* members(things, "file");
  yield "}}";
}

function* members(things: ReadonlyMap<Path, readonly Included[]>, kind: Included["kind"]): Generator<string> {
  let isFirst = true;
  for (const [path, found] of things) {
    for (const thing of found) {
      if (thing.kind !== kind) continue;
      yield `${isFirst ? "" : ","}${JSON.stringify(path)}:`;
      yield thing.json;
      isFirst = false;
    }
  }
}
