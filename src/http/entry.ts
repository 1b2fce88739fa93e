import { type Access, asPublic, readerOf } from "../domain/access.ts";
import { type CollectionBounds, parseCollection, parseProjection, project } from "../domain/collection.ts";
import { type Entry, type EntryInput, type EntryStore, formatEntry } from "../domain/entry.ts";
import { type EntryData, parseEntryData, toEntryInput } from "../domain/entry-data.ts";
import type { HistoryStore } from "../domain/history.ts";
import { entryAt } from "../domain/history-state.ts";
import type { Slug } from "../domain/path.ts";
import { problem, typeProblems } from "../domain/problem.ts";
import { formatRevision } from "../domain/revision.ts";
import { isReadable } from "../domain/visibility.ts";
import { Type } from "../lib/json-schema.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { manages, type Need, reads, writes } from "./auth.ts";
import { type Call, isTokenInUrl } from "./call.ts";
import {
  type CollectionArguments,
  collectionArguments,
  collectionProblems,
  filterArguments,
  isCollection,
} from "./collection.ts";
import type { CollectionPages } from "./collection-page.ts";
import { entryOptions, reportIgnored } from "./ignored.ts";
import {
  type Answer,
  type Coded,
  data,
  deliveryCache,
  json,
  managementCache,
  modifiedDate,
  noContent,
  tagged,
  tagOf,
} from "./reply.ts";
import { argument, objectReader, type Route, route, writerOf } from "./route.ts";
import { entryObject, entryOrList, purge, slug, slugOrRoot } from "./schema.ts";

const revision = Type.Optional(
  Type.Integer({ minimum: 1, description: "A revision: the content that was in force then, with today's id." }),
);
const historyProblems = ["revision_not_found", "argument_conflict"] as const;

/** The client's own keys are validated by parseEntryData. */
export const entryData = argument(
  Type.Unsafe<EntryData>({
    type: "object",
    additionalProperties: true,
    description: "An object of fields to store.",
  }),
  objectReader(parseEntryData, "an object of fields to store"),
);

export type EntryStores = { entries: EntryStore; history: HistoryStore };

export type EntryOptions = {
  bounds: CollectionBounds;
  pages: CollectionPages;
  deliverySharedMaxAgeSeconds: number;
  /** Every read is strict: it refuses unknown keys of filter and options. */
  isStrict: boolean;
  /** Maximum number of keys of an entry, at all depths. */
  maxKeys: number;
  /** False where deletes are for good. */
  hasTrash: boolean;
};

/** /api/entries, /api/delivery/entries, /api/management/entries. Contract §2, §4. */
export function entryRoutes(stores: EntryStores, options: EntryOptions): Route[] {
  const entries = new EntryHandlers(stores, options);
  const id = slugOrRoot("The entry, or the parent of a collection");
  const historic = { id, revision, ...collectionArguments };
  const present = { id, ...collectionArguments } as unknown as typeof historic;
  const read = (url: string, summary: string, need: Need, isDelivery: boolean, args = present): Route =>
    route({
      method: "GET",
      url,
      summary,
      ignoresUnknown: true,
      need,
      arguments: args,
      reply: entryOrList,
      problems: [
        "entry_not_found",
        "path_invalid",
        ...collectionProblems,
        ...(args === historic ? historyProblems : []),
      ],
      handle: (call, args) => entries.read(call, args, isDelivery),
    });
  return [
    read("/api/entries", "Fetch one entry or a collection", reads("entries"), false),
    read("/api/delivery/entries", "Fetch one public entry or a collection of them", reads("entries"), true),
    read(
      "/api/management/entries",
      "Fetch one entry or a collection, drafts included",
      manages("entries"),
      false,
      historic,
    ),
    ...["/api/entries", "/api/management/entries"].flatMap((url) => writeRoutes(url, entries)),
  ].map((one) => reportIgnored(one, entryOptions, options.isStrict));
}

function writeRoutes(url: string, entries: EntryHandlers): Route[] {
  const id = slug("The entry.");
  const newId = slug("Where it goes.");
  const write = { need: writes("entries"), reply: entryObject, ignoresUnknown: true };
  return [
    route({
      ...write,
      method: "POST",
      url,
      summary: "Create an entry",
      arguments: { id: slug("The id of the new entry."), data: entryData },
      problems: ["entry_exists", "entry_not_found", "path_invalid", "field_invalid", "data_too_large", ...typeProblems],
      handle: (call, args) => entries.create(call, args),
    }),
    route({
      ...write,
      method: "PATCH",
      url,
      summary: "Update an entry",
      arguments: { id, data: entryData },
      problems: [
        ...(["entry_not_found", "path_invalid", "field_invalid", "data_too_large", "revision_mismatch"] as const),
        ...typeProblems,
      ],
      handle: (call, args) => entries.update(call, args),
    }),
    route({
      ...write,
      method: "PUT",
      url,
      summary: "Rename or move an entry with all its descendants",
      arguments: { id, newId },
      problems: [
        ...(["entry_not_found", "entry_exists", "move_into_itself", "path_invalid", "revision_mismatch"] as const),
        ...typeProblems,
      ],
      handle: (call, args) => entries.move(call, args, "move"),
    }),
    route({
      ...write,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy an entry with all its descendants",
      arguments: { id, newId },
      problems: [
        ...(["entry_not_found", "entry_exists", "move_into_itself", "path_invalid", "revision_mismatch"] as const),
        ...typeProblems,
      ],
      handle: (call, args) => entries.move(call, args, "copy"),
    }),
    route({
      ...write,
      method: "DELETE",
      url,
      summary: "Delete an entry with all its descendants",
      arguments: { id, purge },
      reply: undefined,
      problems: ["entry_not_found", "path_invalid", "revision_mismatch"],
      handle: (call, args) => entries.delete(call, args),
    }),
  ];
}

/** What a management read says of a working copy. Contract, part two, §11. */
export const stagedHeaders = ({ stagedRevision }: Entry): string[] | undefined =>
  stagedRevision === null ? undefined : ["Octavo-Staged", String(stagedRevision)];

type Place = { id: Slug };
type Places = Place & { newId: Slug };
type Input = Place & { data: EntryData };
type ReadArguments = Place & CollectionArguments & { revision?: number };

type Rendered = { body: string; coded: Coded; tag: string; lastModified: string };

class EntryHandlers {
  private readonly stores: EntryStores;
  private readonly store: EntryStore;
  private readonly options: EntryOptions;
  /** An entry is never changed in place, so what is derived from it stays valid as long as the object exists. */
  private readonly rendered = new WeakMap<Entry, Rendered>();

  constructor(stores: EntryStores, options: EntryOptions) {
    this.stores = stores;
    this.store = stores.entries;
    this.options = options;
  }

  read(call: Call, args: ReadArguments, isDelivery: boolean): MaybePromise<Answer> {
    const access = isDelivery ? asPublic(call.access) : call.access;
    const { id, revision } = args;
    if (isCollection(args)) {
      if (revision !== undefined) throw problem("argument_conflict", { first: "revision", second: "filter" });
      return this.list(call, args, access);
    }
    if (revision !== undefined) return this.earlier(args, revision);
    return after(this.store.find(id, readerOf(access)), (entry) => this.one(call, args, entry, access));
  }

  /** The entry with the content in force at a revision; with an ETag of its own, since its id is today's. */
  private async earlier(args: ReadArguments, revision: number): Promise<Answer> {
    const entry = await entryAt(this.stores, args.id, revision);
    const projection = args.options && parseProjection(filterArguments(args));
    const text = formatEntry(entry);
    return tagged(projection ? await project(text, projection) : text, { cacheControl: managementCache });
  }

  private one(call: Call, args: ReadArguments, entry: Entry | undefined, access: Access): MaybePromise<Answer> {
    if (!entry || !isReadable(entry, access)) throw problem("entry_not_found", { id: args.id });
    const cacheControl = this.cacheControl(call, access);
    const { body, coded, tag, lastModified } = this.render(entry);
    const headers = access.reads === "management" ? stagedHeaders(entry) : undefined;
    const projection = args.options && parseProjection(filterArguments(args));
    if (!projection) return json(body, { cacheControl, tag, lastModified, coded, headers });
    return after(project(formatEntry(entry), projection), (text) =>
      data(text, { cacheControl, lastModified, headers, tag: `${tag}-${tagOf(text)}` }),
    );
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

  private list(call: Call, args: ReadArguments, access: Access): MaybePromise<Answer> {
    return this.options.pages.read(call, {
      access,
      cacheControl: this.cacheControl(call, access),
      query: () => parseCollection(args.id, filterArguments(args), this.options.bounds),
      list: (query, asker) => this.store.list(query, access, asker),
    });
  }

  async create(call: Call, { id, data }: Input): Promise<Answer> {
    const input = await this.inputOf(call, data);
    return this.written(await this.store.create(id, input, writerOf(call), call.ifMatch));
  }

  async update(call: Call, { id, data }: Input): Promise<Answer> {
    const input = await this.inputOf(call, data);
    return this.written(await this.store.update(id, input, call.ifMatch, writerOf(call)));
  }

  async move(call: Call, { id, newId }: Places, verb: "move" | "copy"): Promise<Answer> {
    return this.written(await this.store[verb](id, newId, call.ifMatch, writerOf(call)));
  }

  async delete(call: Call, { id, purge }: Place & { purge?: boolean }): Promise<Answer> {
    await this.store.delete(id, call.ifMatch, writerOf(call), purge || !this.options.hasTrash);
    return noContent;
  }

  private inputOf({ body }: Call, data: EntryData): MaybePromise<EntryInput> {
    return toEntryInput(data, { isMergePatch: body.isMergePatch, maxKeys: this.options.maxKeys });
  }

  private written(entry: Entry): Answer {
    return data(formatEntry(entry), {
      tag: formatRevision(entry.revision),
      lastModified: modifiedDate(entry.modifiedAt),
    });
  }

  private cacheControl(call: Call, access: Access): string {
    if (access.reads !== "public") return managementCache;
    return deliveryCache({ isTokenInUrl: isTokenInUrl(call) }, this.options.deliverySharedMaxAgeSeconds);
  }
}
