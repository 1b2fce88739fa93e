import { type Access, laysOver, readerOf, refuseEntryOutside } from "../domain/access.ts";
import { type CollectionBounds, parseCollection, parseProjection, project } from "../domain/collection.ts";
import { type Entry, type EntryStore, formatEntry } from "../domain/entry.ts";
import type { HistoryStore } from "../domain/history.ts";
import { entryAt } from "../domain/history-state.ts";
import type { Slug } from "../domain/path.ts";
import { problem } from "../domain/problem.ts";
import { formatRevision } from "../domain/revision.ts";
import { type StagedEntry, type StagedStore, stagedTag, type WorkingCopy } from "../domain/staged.ts";
import { isReadable } from "../domain/visibility.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { type Call, isTokenInUrl } from "./call.ts";
import { type CollectionArguments, filterArguments, isCollection } from "./collection.ts";
import type { CollectionPages } from "./collection-page.ts";
import { type Answer, type Coded, cacheOf, data, json, managementCache, modifiedDate, tagged, tagOf } from "./reply.ts";

export type EntryStores = { entries: EntryStore; history: HistoryStore; staged: StagedStore };

export type EntryReadOptions = {
  bounds: CollectionBounds;
  pages: CollectionPages;
  deliverySharedMaxAgeSeconds: number;
};

export type EntryReadArguments = CollectionArguments & { id: Slug; revision?: number };

type Rendered = { body: string; coded: Coded; tag: string; lastModified: string };

/** Answers reads of entries, one or a collection, for any access. Contract §4; part two, §11. */
export class EntryReader {
  private readonly stores: EntryStores;
  private readonly options: EntryReadOptions;
  /** An entry is never changed in place, so what is derived from it stays valid as long as the object exists. */
  private readonly rendered = new WeakMap<Entry, Rendered>();

  constructor(stores: EntryStores, options: EntryReadOptions) {
    this.stores = stores;
    this.options = options;
  }

  /** Throws entry_not_found, revision_not_found, and what parseCollection and the store's list throw. */
  read(call: Call, args: EntryReadArguments, access: Access): MaybePromise<Answer> {
    const { id, revision } = args;
    if (isCollection(args)) {
      if (revision !== undefined) throw problem("argument_conflict", { first: "revision", second: "filter" });
      return this.list(call, args, access);
    }
    if (revision !== undefined) return this.earlier(args, revision, access);
    if (laysOver(access))
      return after(this.stores.staged.find(id), (found) => this.laidOver(call, args, found, access));
    return after(this.stores.entries.find(id, readerOf(access)), (entry) => this.one(call, args, entry, access));
  }

  /** The entry with the content in force at a revision; with an ETag of its own, since its id is today's. */
  private async earlier(args: EntryReadArguments, revision: number, access: Access): Promise<Answer> {
    refuseEntryOutside(access, args.id);
    const entry = await entryAt(this.stores, args.id, revision);
    const projection = args.options && parseProjection(filterArguments(args));
    const text = formatEntry(entry);
    return tagged(projection ? await project(text, projection) : text, { cacheControl: managementCache });
  }

  private one(call: Call, args: EntryReadArguments, entry: Entry | undefined, access: Access): MaybePromise<Answer> {
    if (!entry || !isReadable(entry, access)) throw problem("entry_not_found", { id: args.id });
    const cacheControl = this.cacheControl(call, access);
    const { body, coded, tag, lastModified } = this.render(entry);
    const headers = access.reads === "management" ? stagedHeaders({ entry }) : undefined;
    const projection = args.options && parseProjection(filterArguments(args));
    if (!projection) return json(body, { cacheControl, tag, lastModified, coded, headers });
    return after(project(formatEntry(entry), projection), (text) =>
      data(text, { cacheControl, lastModified, headers, tag: `${tag}-${tagOf(text)}` }),
    );
  }

  /** An entry with its working copy laid over; its ETag names both states. */
  private async laidOver(
    call: Call,
    args: EntryReadArguments,
    found: StagedEntry | undefined,
    access: Access,
  ): Promise<Answer> {
    if (!found || !isReadable(found.entry, access)) throw problem("entry_not_found", { id: args.id });
    const { entry } = found;
    const cacheControl = this.cacheControl(call, access);
    const headers = access.reads === "staged" ? stagedHeaders(found) : undefined;
    const projection = args.options && parseProjection(filterArguments(args));
    const text = projection ? await project(formatEntry(entry), projection) : formatEntry(entry);
    const tag = projection ? `${stagedTag(entry)}-${tagOf(text)}` : stagedTag(entry);
    return data(text, { tag, cacheControl, headers });
  }

  private render(entry: Entry): Rendered {
    const known = this.rendered.get(entry);
    if (known) return known;
    const rendered = {
      body: `{"data":${formatEntry(entry)}}`,
      coded: {},
      tag: formatRevision(entry.revision),
      lastModified: modifiedDate(entry.modifiedAt),
    };
    this.rendered.set(entry, rendered);
    return rendered;
  }

  private list(call: Call, args: EntryReadArguments, access: Access): MaybePromise<Answer> {
    return this.options.pages.read(call, {
      access,
      cacheControl: this.cacheControl(call, access),
      query: () => parseCollection(args.id, filterArguments(args), this.options.bounds),
      list: (query, asker) => this.stores.entries.list(query, access, asker),
    });
  }

  private cacheControl(call: Call, access: Access): string {
    return cacheOf(access, isTokenInUrl(call), this.options.deliverySharedMaxAgeSeconds);
  }
}

/** What a management read says of a working copy. Contract, part two, §11. */
function stagedHeaders({ entry, copy }: { entry: Entry; copy?: WorkingCopy | undefined }): string[] | undefined {
  if (entry.stagedRevision === null) return undefined;
  const at = copy?.publishAtSeconds ?? null;
  const staged = ["Octavo-Staged", String(entry.stagedRevision)];
  return at === null ? staged : [...staged, "Octavo-Publish-At", String(at)];
}

/** The entry with its working copy laid over, as the answer to a write. */
export const stagedAnswer = (found: StagedEntry): Answer =>
  data(formatEntry(found.entry), { tag: stagedTag(found.entry), headers: stagedHeaders(found) });
