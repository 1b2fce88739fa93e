import type { StagedRow, Translation } from "../../../client/src/api.ts";
import { etagOf, type OutdatedKey, type Page, type Reply, type UpdateOptions } from "../../../client/src/client.ts";
import {
  createEntry,
  type Entry,
  type EntryPatch,
  patchEntry,
  readEntry,
  type TaggedEntry,
  titleOf,
  type Visibility,
} from "./entry.ts";
import type { Json, JsonObject } from "./json.ts";
import { octavo } from "./octavo.ts";

/** The calls of working copies. */

export type WorkingCopy = {
  /** When it is published, in Unix seconds; undefined when that is not scheduled. */
  publishAt: number | undefined;
  /** Its keys that were changed live since they were staged: a publish would put them back. */
  outdated: readonly string[];
  /** The id of the release that it goes live with; undefined without one. */
  release: string | undefined;
};

/**
 * An entry with its working copy laid over, if it has one, or what it says in another locale than the source's: that has the
 * shape of an entry, with the translated keys alone. The tag names the states of both: a staged tag.
 */
export type OpenedEntry = TaggedEntry & { copy: WorkingCopy | undefined; translation?: Translated };

/** What is beside a translation. */
export type Translated = {
  locale: string;
  /** The entry as it is published: what is translated. */
  source: Entry;
  /** How far the live translation is. */
  row: Translation;
  /** The path of the entry in the locale. */
  path: string;
};

export type OpenedTranslation = OpenedEntry & { translation: Translated };

/** The name of what is opened: a translation without a title has that of its source. */
export const openedTitle = (entry: { slug: string; title?: Json }, translation: Translated | undefined): string =>
  titleOf({ slug: entry.slug, title: entry.title ?? translation?.source.title ?? "" });

const url = "/api/entries/staged";

/** What a call is about. */
const named = ({ entry: { slug: id }, translation }: OpenedEntry): { id: string; locale?: string } => ({
  id,
  ...(translation && { locale: translation.locale }),
});

/** The entry as the reply to a read or a write of its copy has it. */
function opened({ data, headers }: Reply<object>): OpenedEntry {
  const publishAt = headers.get("Octavo-Publish-At");
  const release = headers.get("Octavo-Release") ?? undefined;
  const copy = {
    publishAt: publishAt === null ? undefined : Number(publishAt),
    outdated: listOf(headers, "Octavo-Outdated"),
    release,
  };
  return { entry: data as Entry, tag: etagOf(data) ?? "", copy: headers.has("Octavo-Staged") ? copy : undefined };
}

const listOf = (headers: Headers, name: string): string[] =>
  headers.get(name)?.split(", ").map(decodeURIComponent) ?? [];

/** Reads what the editor opens. Throws entry_not_found. */
export const openEntry = async (id: string, locale?: string): Promise<OpenedEntry> =>
  locale ? openTranslation(id, locale) : opened(await octavo.request(`GET ${url}`, { id }));

/** The same as it is live. Throws entry_not_found. */
export const openLive = async (id: string, locale?: string): Promise<TaggedEntry> =>
  locale ? openTranslation(id, locale, "GET /api/entries") : readEntry(id);

/** Throws entry_not_found. */
export async function openTranslation(
  id: string,
  locale: string,
  call: `GET ${typeof url}` | "GET /api/entries" = `GET ${url}`,
): Promise<OpenedTranslation> {
  const [{ entry: source }, reply, rows] = await Promise.all([
    readEntry(id),
    octavo.request<object>(call, { id, locale }),
    octavo.request<Translation[]>("GET /api/entries/translations", { id }),
  ]);
  const { entry: read, ...state } = opened(reply);
  const row = rows.data.find((each) => each.locale === locale) as Translation;
  const path = reply.headers.get("Octavo-Path")?.split("/").map(decodeURIComponent).join("/") ?? id;
  const fallback = listOf(reply.headers, "Octavo-Fallback");
  const entry = {
    ...{ slug: id, uuid: source.uuid, created_at: source.created_at, modified_at: row.modified_at ?? 0 },
    ...{ visibility: visibilityOf(row, state.copy), published_at: row.published_at ?? source.published_at },
    ...translatedKeys(read, row, fallback),
  };
  return { ...state, entry: entry as Entry, translation: { locale, source, row, path } };
}

/** The header of fallbacks ends after a hundred keys: what is neither live nor staged is not translated either. */
function translatedKeys(read: Entry, { keys, staged }: Translation, fallback: readonly string[]): JsonObject {
  const own = new Set([...keys, ...staged].filter((key) => !fallback.includes(key) && !fieldsOfItself.has(key)));
  return Object.fromEntries(Object.entries(read).filter(([key]) => own.has(key)));
}

/** What the service keeps of each translation: a reply has those of the entry. */
const fieldsOfItself: ReadonlySet<string> = new Set(["visibility", "published_at"]);

/** A copy does not say which one it stages: it takes off the site what is there, and brings there what is not. */
function visibilityOf({ visibility, staged }: Translation, copy: WorkingCopy | undefined): Visibility {
  const live = (visibility ?? "draft") as Visibility;
  if (!copy || !staged.includes("visibility")) return live;
  return live === "draft" ? "visible" : "draft";
}

/** After a write of which the reply has the state; of a translation it lacks what is beside it. */
const after = async (state: OpenedEntry, reply: Reply<object>): Promise<OpenedEntry> =>
  state.translation ? openTranslation(state.entry.slug, state.translation.locale) : opened(reply);

/** Creates an entry; in a release only drafts. Throws entry_exists. */
export async function createDraft(id: string, data: JsonObject, release: string | undefined): Promise<OpenedEntry> {
  if (release === undefined || data.visibility !== "draft") return withoutCopy(await createEntry(id, data));
  await octavo.entries.create(id, data, { release });
  return openEntry(id);
}

/** Changes the working copy, in a release. Throws revision_mismatch after a change of the entry or of its copy. */
export async function stageEntry(
  state: OpenedEntry,
  { data, isMergePatch }: EntryPatch,
  release?: string,
): Promise<OpenedEntry> {
  const options: UpdateOptions = { ifMatch: state.tag, mergePatch: isMergePatch };
  const args = { ...named(state), data, ...(release !== undefined && { release }) };
  return after(state, await octavo.request(`PATCH ${url}`, args, options));
}

/** Puts a draft or a working copy into a release; null takes it out. Throws revision_mismatch. */
export const placeEntry = async (state: OpenedEntry, release: string | null): Promise<OpenedEntry> =>
  after(state, await octavo.request(`PATCH ${url}`, { ...named(state), release }, { ifMatch: state.tag }));

/** Publishes the working copy or a draft now. Throws revision_mismatch, nothing_staged, staged_outdated. */
export async function publishStaged(state: OpenedEntry): Promise<OpenedEntry> {
  const args = { ...named(state), current: true };
  const reply = await octavo.request<object>("POST /api/entries/publish", args, { ifMatch: state.tag });
  return state.translation ? after(state, reply) : withoutCopy(opened(reply));
}

/** Sets when it is published, in Unix seconds; null takes that back. Throws revision_mismatch, nothing_staged. */
export const scheduleStaged = async (state: OpenedEntry, at: number | null): Promise<OpenedEntry> =>
  after(state, await octavo.request("POST /api/entries/publish", { ...named(state), at }, { ifMatch: state.tag }));

/** Drops the working copy, or keys of it. Throws revision_mismatch, nothing_staged. */
export const discardStaged = async (state: OpenedEntry, keys?: string[]): Promise<void> =>
  void (await octavo.request(`DELETE ${url}`, { ...named(state), ...(keys && { keys }) }, { ifMatch: state.tag }));

/** Compares the outdated keys of the working copy. */
export const outdatedOf = async (id: string, locale?: string): Promise<OutdatedKey[]> =>
  (await octavo.request<OutdatedKey[]>(`GET ${url}/outdated`, { id, ...(locale && { locale }) })).data;

/** Makes what is live a draft; a working copy stays. Throws revision_mismatch. */
export async function unpublishEntry(state: OpenedEntry): Promise<OpenedEntry> {
  const { entry, copy, translation } = state;
  const data = { visibility: "draft" };
  const { tag } = liveOf(state);
  if (translation) await octavo.request("PATCH /api/entries/translations", { ...named(state), data }, { ifMatch: tag });
  const written = translation ? undefined : await patchEntry({ entry, tag }, { data, isMergePatch: false });
  return written && !copy ? withoutCopy(written) : openEntry(entry.slug, translation?.locale);
}

/** Takes a live entry without a working copy off the site at a time. Throws revision_mismatch. */
export async function scheduleUnpublish(state: OpenedEntry, at: number): Promise<OpenedEntry> {
  const args = named(state);
  await octavo.batch([
    { call: "PATCH /api/entries/staged", args: { ...args, data: { visibility: "draft" } }, ifMatch: state.tag },
    { call: "POST /api/entries/publish", args: { ...args, at } },
  ]);
  return openEntry(args.id, args.locale);
}

/**
 * Gives it the content and state that it had at a revision; 0 is that of a translation before there was one. Throws
 * revision_mismatch after a later change, revision_not_found.
 */
export async function bringBack(state: OpenedEntry, revision: number): Promise<OpenedEntry> {
  const args = named(state);
  const { tag: ifMatch } = liveOf(state);
  if (revision === 0) await octavo.request("DELETE /api/entries/translations", args, { ifMatch });
  else await octavo.request("POST /api/entries/restore", { ...args, revision, state: true }, { ifMatch });
  return openEntry(args.id, args.locale);
}

/** An entry has a copy in each language. */
export const copyKey = ({ id, locale }: Pick<StagedRow, "id" | "locale">): string => (locale ? `${id} ${locale}` : id);

/** One page of all working copies, by the ids of their entries. */
export const listStaged = (cursor?: string, limit = 50): Promise<Page<StagedRow>> =>
  octavo.entries.stagedList({ limit, cursor });

// ---------------------------------------------------------------------------------------------- tags

/** The revision of the entry, with which ETags begin: `<revision>` of the entry, `<revision>.<revision of the copy>`. */
export const revisionOf = (tag: string): string => /^(?:W\/)?"([0-9a-z]+)/.exec(tag)?.[1] ?? "";

/** What a tag says of both states, without the rest of it: two tags of the same text are of the same states. */
export const statesOf = (tag: string): string => /^(?:W\/)?"([0-9a-z]+\.[0-9a-z]+)/.exec(tag)?.[1] ?? "";

/** The same state for a write of the entry itself. */
export const liveOf = ({ entry, tag }: OpenedEntry): TaggedEntry => ({ entry, tag: `"${revisionOf(tag)}"` });

/** An entry as a write answered it, which has no working copy. If it has, the next write detects that. */
export const withoutCopy = ({ entry, tag }: TaggedEntry): OpenedEntry => ({
  entry,
  tag: `"${revisionOf(tag)}.0"`,
  copy: undefined,
});
