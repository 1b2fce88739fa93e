import { hash } from "node:crypto";
import { type ChangedThing, type Event, isQuiet, kindFacts, type Publicity, publicity } from "../event.ts";
import { nameOf, type Path, parentOf, rootPath, uploadsUrl } from "../path.ts";
import { type CollectionQuery, depthRange } from "./list.ts";

/**
 * Cache groups: names of what a delivery reply depends on, and of what an event changes. A cache that has removed every reply
 * with one of an event's names holds none that the event made wrong. Contract, part three, §12; decision 74.
 */

/** The headers that can have the names. */
export const groupHeaders = ["Cache-Groups", "Surrogate-Key", "Cache-Tag", "xkey"] as const;
export type GroupHeader = (typeof groupHeaders)[number];

/** A reply that depends on more is not to be kept. */
export const maxGroups = 128;

const shortHash = (text: string): string => hash("sha256", text, "hex").slice(0, 16);

export const entryGroup = (uuid: string): string => `e-${uuid}`;
/** What is at a path of the uploads, a file or a folder. */
export const fileGroup = (path: Path): string => `f-${shortHash(path)}`;
/** Which entries are at and below a path. */
export const parentGroup = (path: Path): string => `c-${shortHash(path)}`;
/** Which files and folders are in a folder and below it. */
const folderGroup = (path: Path): string => `c-${shortHash(`${uploadsUrl}/${path}`)}`;
/** Replies with HTML: the types say which texts become that. */
export const typeGroup = "types";

/** True for a path that can be that of a file: each name of one has an extension. */
export const mayBeFile = (path: Path): boolean => nameOf(path).includes(".");

// ---------------------------------------------------------------------------------------------- what a reply depends on

/**
 * Whether a list depends on the thing at its path: an empty one is not found any more once that is gone, and one that begins
 * at depth 0 has it in it.
 */
const dependsOnOwn = (query: CollectionQuery, isEmpty: boolean): boolean =>
  query.path !== rootPath && (isEmpty || depthRange(query).min === 0);

/** Of a list of entries; `findOwn` reads the one at its path, undefined for none that the caller may see. */
export async function entryListGroups(
  query: CollectionQuery,
  isEmpty: boolean,
  findOwn: (path: Path) => Promise<{ uuid: string } | undefined>,
): Promise<string[]> {
  const { path } = query;
  const groups = [parentGroup(path)];
  if (!dependsOnOwn(query, isEmpty)) return groups;
  const own = await findOwn(path);
  if (own) return [...groups, entryGroup(own.uuid)];
  // One that comes to be at the path would be in the list.
  return depthRange(query).min === 0 ? [...groups, parentGroup(parentOf(path))] : groups;
}

/** Of a list of files or folders. */
export const folderListGroups = (query: CollectionQuery, isEmpty: boolean): string[] =>
  dependsOnOwn(query, isEmpty) ? [folderGroup(query.path), fileGroup(query.path)] : [folderGroup(query.path)];

/** Of a path that was looked for by an include: among files, too, where the caller sees those. */
export function lookedForGroups(
  path: Path,
  { uuid, hasFile, seesFiles }: { uuid: string | undefined; hasFile: boolean; seesFiles: boolean },
): string[] {
  const isOfFiles = seesFiles && mayBeFile(path);
  if (uuid !== undefined || hasFile)
    return [...(uuid === undefined ? [] : [entryGroup(uuid)]), ...(isOfFiles ? [fileGroup(path)] : [])];
  const parent = parentOf(path);
  return isOfFiles ? [parentGroup(parent), folderGroup(parent)] : [parentGroup(parent)];
}

/** Of the value at a key of the registry: it changes with the items at, below and above it. */
export const registryGroups = (key: string): string[] => [...keysTo(key).map(itemGroup), belowGroup(key)];

const itemGroup = (key: string): string => `r-${shortHash(key)}`;
const belowGroup = (key: string): string => `r-${shortHash(`${key}.`)}`;
/** The keys above a key, and the key. */
const keysTo = (key: string): string[] => {
  const segments = key.split(".");
  return segments.map((_, i) => segments.slice(0, i + 1).join("."));
};

/** The groups, with those of what entries and lists say in each of these locales. */
export const localizedGroups = (groups: readonly string[], locales: readonly string[] = []): string[] => [
  ...groups,
  ...groups
    .filter((group) => group.startsWith("e-") || group.startsWith("c-"))
    .flatMap((group) => locales.map((locale) => inLocale(group, locale))),
];

const inLocale = (group: string, locale: string): string => `${group}.${locale}`;

// ---------------------------------------------------------------------------------------------- what an event changes

/** Those whose replies an event changes, each once. `things` are those that it changed, as the log has them. */
export function changedGroups(event: Event, things: readonly ChangedThing[]): string[] {
  if (isQuiet(event.kind)) return [];
  const noun = kindFacts(event.kind)?.noun;
  const { locale } = event;
  if (noun === "entry")
    return things.flatMap((thing) => (locale === undefined ? entryChange(thing) : translationChange(thing, locale)));
  if (noun === "file" || noun === "folder") return placesOf(event, things).flatMap(placeChange);
  if (noun === "type") return [typeGroup];
  if (noun === "registry") return [itemGroup(event.subject), ...keysTo(event.subject).slice(0, -1).map(belowGroup)];
  return [];
}

function entryChange({ uuid, from, to, was, is }: ChangedThing): string[] {
  if (was === publicity.none && is === publicity.none) return [];
  const isThere = (each: Publicity) => each !== publicity.none;
  // Whether it is listed anywhere, whether something is at its id: what does not change is found by the uuid.
  const sides = [
    { path: from, as: was },
    { path: to, as: is },
  ].filter(({ path, as }) => path !== null && isThere(as)) as { path: Path; as: Publicity }[];
  const isMoved = sides.length === 2 && from !== to;
  const isElsewhere = was === publicity.elsewhere || is === publicity.elsewhere;
  const comesOrGoes = isThere(was) !== isThere(is) || isMoved || isElsewhere;
  return [
    entryGroup(uuid),
    ...sides.flatMap(({ path, as }) =>
      as !== publicity.byId ? ancestorsOf(path).map(parentGroup) : comesOrGoes ? [parentGroup(parentOf(path))] : [],
    ),
    // An include of a file at the same path.
    ...(comesOrGoes ? sides.flatMap(({ path }) => (mayBeFile(path) ? [fileGroup(path)] : [])) : []),
  ];
}

/** What replies in all locales say of a translation is whether it is public, and its name: see changeOf. */
function translationChange({ uuid, to, was, is }: ChangedThing, locale: string): string[] {
  if (was === publicity.none && is === publicity.none) return [];
  const isListed = was === publicity.listed || is === publicity.listed;
  return [
    inLocale(entryGroup(uuid), locale),
    ...(was === is ? [] : [entryGroup(uuid)]),
    ...(isListed && to !== null ? ancestorsOf(to).map((path) => inLocale(parentGroup(path), locale)) : []),
  ];
}

const placeChange = (path: Path): string[] => [fileGroup(path), ...ancestorsOf(path).map(folderGroup)];

/** The paths of files and folders that an event changed; what is copied, or came back, stays as it is where it was. */
function placesOf({ kind, subject, target }: Event, things: readonly ChangedThing[]): Path[] {
  const verb = kindFacts(kind)?.verb;
  const to = target === null ? [] : [target as Path];
  const isFrom = verb === "copy" || verb === "undelete" ? target === null : true;
  const below = things.flatMap((thing) => [thing.from, thing.to]).filter((path) => path !== null);
  return [...(isFrom ? [subject as Path] : []), ...to, ...below];
}

/** Every path above a path, the root at the end. */
export function ancestorsOf(path: Path): Path[] {
  const found: Path[] = [];
  for (let at = path; at !== rootPath; ) {
    at = parentOf(at);
    found.push(at);
  }
  return found;
}
