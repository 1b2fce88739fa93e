import { type Access, accessAt, laysOver, readerOf, refuseEntryOutside } from "../core/access/access.ts";
import { grouped, groupsFor } from "../core/http/cache-group.ts";
import { type Call, isTokenInUrl } from "../core/http/call.ts";
import { withEitherFilter } from "../core/http/collection.ts";
import type { PageRead } from "../core/http/collection-page.ts";
import {
  type Answer,
  type Coded,
  cacheOf,
  data,
  dataWith,
  json,
  modifiedDate,
  sharedBody,
  tagOfLong,
} from "../core/http/reply.ts";
import { type FieldScope, unknownFields } from "../core/http/unknown-field.ts";
import { ByteCache } from "../core/lib/byte-cache.ts";
import type { LongText } from "../core/lib/long-text.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { entryGroup, typeGroup } from "../core/list/cache-group.ts";
import { objectOf } from "../core/list/candidate.ts";
import { leadsOf } from "../core/list/include.ts";
import { type CollectionQuery, type Projection, project } from "../core/list/list.ts";
import type { Asker } from "../core/list/query.ts";
import { parentOf, type Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import { formatRevision } from "../core/revision.ts";
import type { AddressOptions } from "../file/uploads-address-wire.ts";
import type { Placeholders } from "../image/placeholder.ts";
import { Previews } from "../image/placeholder-wire.ts";
import type { PublicPictures } from "../image/public-picture.ts";
import { FileAddresses } from "../render/address.ts";
import { type EntryRenderer, type Render, rendererVersion } from "../render/render.ts";
import { placesOf } from "../render/wire.ts";
import type { Locales } from "../translation/locale.ts";
import { inLocaleOf } from "../translation/read-wire.ts";
import type { CurrentTypes } from "../type/check.ts";
import type { VersionStore } from "../version/version.ts";
import { entryAt } from "../version/version-at.ts";
import { type StagedEntry, stagedTag } from "../working-copy/staged.ts";
import { type Entry, formatEntry } from "./entry.ts";
import { byPath, inChain, pageGroups } from "./group-wire.ts";
import { Includer, type IncludeStores } from "./include-wire.ts";
import { entryItem } from "./item.ts";
import { earlierInLocale, localesBeside, readInLocale } from "./locale-wire.ts";
import {
  type EntryListQuery,
  type EntryQuery,
  type EntryReadArguments,
  type OneEntryQuery,
  readEntryQuery,
  type SentEntryArguments,
} from "./query-wire.ts";
import { stagedHeaders } from "./staged-header-wire.ts";
import { isReadable } from "./visibility.ts";

export type EntryStores = IncludeStores & { history: VersionStore };

export type EntryReadOptions = Pick<AddressOptions, "bounds" | "pages" | "deliverySharedMaxAgeSeconds" | "groups"> & {
  /** Where files are, for the addresses of those that are included. */
  address: Pick<AddressOptions, "root" | "publicUrl">;
  placeholders: Placeholders;
  pictures: PublicPictures;
  renderer: EntryRenderer;
  /** What delivery tokens get without the argument `render`. */
  defaultRender: Render;
  /** Undefined where entries have no translations. */
  locales: Locales | undefined;
};

/** What finds the entries of a page. */
type Find = EntryStores["entries"]["list"];

/** An entry as one access reads it: the ETag of all of it, and its reply as it is kept. */
type EntryReading = {
  entry: Entry;
  tag?: string;
  lastModified?: string;
  headers?: string[] | undefined;
  rendered?: Rendered;
  /** The cache groups of the names in its path. */
  above?: readonly string[];
};

type Rendered = {
  body: string | Buffer;
  coded: Coded;
  tag: string;
  lastModified: string;
  groups: string[] | undefined;
};
/** One with HTML for its prose, and what it was rendered from. */
type Kept = Rendered & { entry: Entry; types: CurrentTypes; hasAddresses: boolean };

const noPlaces = new FileAddresses("");
const keptBytes = 8 * 1024 * 1024;
const keptOverheadBytes = 1024;

/** Answers reads of entries, one or a collection, for any access. Contract §4; part two, §11. */
export class EntryReader {
  private readonly stores: EntryStores;
  private readonly options: EntryReadOptions;
  /** An entry is never changed in place, so what is derived from it stays valid as long as the object exists. */
  private readonly rendered = new WeakMap<Entry, Rendered>();
  /** The compressed forms take about as much again as the body. */
  private readonly kept = new ByteCache<Kept>(keptBytes, ({ body }) => keptOverheadBytes + 2 * body.length);

  constructor(stores: EntryStores, options: EntryReadOptions) {
    this.stores = stores;
    this.options = options;
  }

  /** Throws entry_not_found, revision_not_found, include_too_large, and what parseCollection and the store's list throw. */
  read(call: Call, args: SentEntryArguments, reader: Access): MaybePromise<Answer> {
    const access = inLocaleOf(reader, this.options.locales, args);
    if (args.path === undefined) return withEitherFilter(args, (args) => this.readAny(call, args, access));
    if (call.query.has("id")) throw problem("argument_conflict", { first: "path", second: "id" });
    const path = args.path;
    return this.stores.translations
      .resolve(path, access)
      .then((id) => withEitherFilter({ ...args, id: id ?? path }, (args) => this.readAny(call, args, access)));
  }

  /** The same of entries that `find` finds in place of the list. Throws what a read does, and what `find` throws. */
  search(call: Call, args: SentEntryArguments, reader: Access, find: Find): MaybePromise<Answer> {
    const access = inLocaleOf(reader, this.options.locales, args);
    const context = { ...this.options, access, token: call.access, presets: this.options.pictures.presets };
    return this.list(call, readEntryQuery(args, context) as EntryListQuery, access, find);
  }

  private readAny(call: Call, args: EntryReadArguments, access: Access): MaybePromise<Answer> {
    if (this.isPlain(args, access))
      return after(this.stores.entries.find(args.id, readerOf(access)), (entry) =>
        this.plain(call, args.id, entry, access),
      );
    const { pictures } = this.options;
    const reader = { ...this.options, access, token: call.access, presets: pictures.presets };
    const query = readEntryQuery(args, reader);
    if (query.collection) return this.list(call, query, query.access);
    return after(this.find(query, access), (found) => this.answer(call, query, found, access));
  }

  /** True for a read of one live entry as it is stored: most are, so they skip what the others need. */
  private isPlain(args: EntryReadArguments, access: Access): boolean {
    const { filter, options, include, render, imagePreset, revision } = args;
    const asksNothing = [filter, options, include, render, imagePreset].every((one) => one === undefined);
    return (
      asksNothing &&
      access.locale === undefined &&
      revision === undefined &&
      this.options.defaultRender === "raw" &&
      !laysOver(accessAt(access, args.id))
    );
  }

  private plain(call: Call, id: Slug, entry: Entry | undefined, access: Access): Answer {
    const { rendered, headers } = this.live(id, entry, access);
    return asKept(rendered, this.cacheControl(call, access, [], noPlaces), access, headers);
  }

  /** The entry as this access reads it. */
  private find({ id, revision }: OneEntryQuery, access: Access): MaybePromise<EntryReading> {
    if (revision !== undefined && access.locale?.own)
      return earlierInLocale(this.stores, this.options, { id, revision }, access);
    if (revision !== undefined) return this.earlier(id, revision, access);
    if (access.locale) return readInLocale(this.stores, this.options, id, access);
    if (laysOver(accessAt(access, id)))
      return after(this.stores.staged.find(id, access), (found) => laidOver(id, found, access));
    return after(this.stores.entries.find(id, readerOf(access)), (entry) => this.live(id, entry, access));
  }

  /** The entry with the content in force at a revision; with an ETag of its own, since its id is today's. */
  private async earlier(id: Slug, revision: number, access: Access): Promise<EntryReading> {
    refuseEntryOutside(access, id);
    return { entry: await entryAt(this.stores, id, revision) };
  }

  private live(id: Slug, entry: Entry | undefined, access: Access): EntryReading & { rendered: Rendered } {
    if (!entry || !isReadable(entry, access)) throw problem("entry_not_found", { id });
    const rendered = this.render(entry);
    const { tag, lastModified } = rendered;
    const headers = access.reads === "management" ? stagedHeaders({ entry }) : undefined;
    return { entry, rendered, tag, lastModified, headers };
  }

  private answer(call: Call, query: OneEntryQuery, found: EntryReading, access: Access): MaybePromise<Answer> {
    const { fields, isHtml, imagePreset: preset } = query;
    const { entry, rendered, tag, lastModified, headers } = found;
    const places = this.places(call, query, access);
    const cacheControl = () => this.cacheControl(call, access, fields, places);
    const projection = query.projection();
    const isWhole = !projection && fields.length === 0;
    const isKept = rendered && isWhole && preset === undefined;
    if (isKept && isHtml) return this.htmlOf(call, entry, rendered, access, places);
    if (isKept) return asKept(rendered, cacheControl(), access, headers);
    const includer = this.includer(call, query, access);
    const made = after(this.textOf(call, entryItem(entry).json, projection, isHtml, places), (text) =>
      fields.length === 0 ? data(text) : this.including(call, query, access, includer, entry, text, places),
    );
    const whole = after(made, (answer) =>
      includer.finish({
        ...answer,
        // What is of files is not of the entry's time.
        ...(fields.length === 0 && preset === undefined && { lastModified }),
        cacheControl: cacheControl(),
        headers,
        tag:
          isWhole && !isHtml && tag !== undefined ? tag : tagWith(isHtml ? htmlTag(tag) : tag, answer.body as LongText),
      }),
    );
    const groups = groupsFor(access, this.options.groups);
    return after(whole, (answer) =>
      grouped(answer, groups, () => [
        ...inChain([entryGroup(entry.uuid), ...byPath(call, entry.slug), ...includer.groups], access),
        ...(isHtml ? [typeGroup] : []),
        ...places.groups,
        ...(found.above ?? []),
      ]),
    );
  }

  private textOf(
    call: Call,
    whole: string,
    projection: Projection | undefined,
    isHtml: boolean,
    places: FileAddresses,
  ): MaybePromise<string> {
    if (isHtml) return this.options.renderer.entry(whole, projection, call.asker(), places);
    return projection ? project(whole, projection) : whole;
  }

  /** A live entry with HTML for its prose. Kept as long as neither the entry nor a type changes. */
  private htmlOf(
    call: Call,
    entry: Entry,
    { tag, lastModified }: Rendered,
    access: Access,
    places: FileAddresses,
  ): MaybePromise<Answer> {
    const answerOf = (made: Kept) => {
      places.hasAddresses = made.hasAddresses;
      return asKept(made, this.cacheControl(call, access, [], places), access);
    };
    const key = `${entry.uuid} ${entry.revision} ${places.base}`;
    return after(this.options.renderer.current(), (types) => {
      const kept = this.kept.get(key);
      const isSame = kept?.types === types && (kept.entry === entry || formatEntry(kept.entry) === formatEntry(entry));
      if (kept && isSame) return answerOf(kept);
      return after(this.textOf(call, formatEntry(entry), undefined, true, places), (text) => {
        const made: Kept = {
          body: sharedBody(`{"data":${text}}`),
          coded: {},
          tag: tagWith(htmlTag(tag), text),
          lastModified,
          entry,
          types,
          hasAddresses: places.hasAddresses,
          groups: this.options.groups?.of([entryGroup(entry.uuid), typeGroup]),
        };
        this.kept.put(key, made);
        return answerOf(made);
      });
    });
  }

  private render(entry: Entry): Rendered {
    const known = this.rendered.get(entry);
    if (known) return known;
    const rendered = {
      body: sharedBody(`{"data":${formatEntry(entry)}}`),
      coded: {},
      tag: formatRevision(entry.revision),
      lastModified: modifiedDate(entry.modifiedAt),
      groups: this.options.groups?.of([entryGroup(entry.uuid)]),
    };
    this.rendered.set(entry, rendered);
    return rendered;
  }

  private readonly found: Find = (query, access, asker) => this.stores.entries.list(query, access, asker);

  private list(call: Call, query: EntryListQuery, access: Access, find = this.found): MaybePromise<Answer> {
    const { fields, isHtml } = query;
    const wantsPaths = access.locale !== undefined && query.hasLocaleInfo;
    const collection = wantsPaths ? { ...query.collection, wantsPaths } : query.collection;
    const includer = this.includer(call, query, access);
    const places = this.places(call, query, access);
    const page = this.options.pages.read(call, {
      access,
      cacheControl: this.cacheControl(call, access, fields, noPlaces),
      groups: pageGroups(this.stores.entries, this.options, access, {
        isHtml,
        hasPaths: wantsPaths,
        included: () => [...byPath(call, query.id), ...includer.groups, ...places.groups],
      }),
      fields: this.fields(access),
      query: collection,
      list: this.lister(query, access, includer, places, find),
    });
    const own = () => ({ cacheControl: this.cacheControl(call, access, fields, places) });
    return after(page, (answer) => includer.finish(places.hasAddresses ? { ...answer, ...own() } : answer));
  }

  /** Reads a collection from the store, with what its entries include, and with HTML for their prose. */
  private lister(
    { fields, isHtml }: EntryQuery,
    access: Access,
    includer: Includer,
    places: FileAddresses,
    find: Find,
  ): PageRead["list"] {
    const stored = async (query: CollectionQuery, asker: Asker) => {
      const found = await find(query, access, asker);
      if (!found.paths) return found;
      const locales = await localesBeside(this.stores, this.options, found.paths as Slug[], access);
      return { ...found, beside: found.beside === undefined ? locales : `${found.beside},${locales}` };
    };
    const whole: PageRead["list"] =
      fields.length === 0 ? stored : (query, asker) => includer.ofList(query, asker, stored);
    if (!isHtml) return whole;
    return (query, asker) => this.options.renderer.collection(query, asker, places, (source) => whole(source, asker));
  }

  /** An entry with what it includes beside it. */
  private async including(
    call: Call,
    { fields, isHtml }: EntryQuery,
    access: Access,
    includer: Includer,
    entry: Entry,
    text: string,
    places: FileAddresses,
  ): Promise<Answer> {
    const object = objectOf(entryItem(entry));
    const included = await includer.ofOne(object, fields);
    const asker = call.asker();
    const whole = dataWith(text, isHtml ? await this.options.renderer.included(included, asker, places) : included);
    const leads = leadsOf(object, fields);
    const absent = fields.filter((_, i) => !leads[i]);
    if (absent.length === 0) return whole;
    const list = (query: CollectionQuery) => this.stores.entries.list(query, access, asker);
    const scope = { path: parentOf(entry.slug), list, ...this.fields(access) };
    return { ...whole, ignored: await unknownFields(scope, { order: [], include: absent }, call.query) };
  }

  /** What types declare is reported to those who may read them: others would learn of what they do not see. */
  private fields({ reads }: Access): Pick<FieldScope, "isDeclared"> {
    if (reads === "public") return {};
    return { isDeclared: async (name) => (await this.options.renderer.current()).types?.declares(name) ?? false };
  }

  private includer(call: Call, { members }: EntryQuery, access: Access): Includer {
    const groups = groupsFor(access, this.options.groups);
    const previews = members.includes("preview") ? new Previews(this.options.placeholders) : undefined;
    return new Includer(this.stores, call, access, { ...this.options.address, groups, members }, previews);
  }

  /** Of none where the read has no HTML: then its host does not matter. */
  private places(call: Call, { isHtml, imagePreset }: EntryQuery, access: Access): FileAddresses {
    const { address, pictures } = this.options;
    return isHtml ? placesOf(call, imagePreset, access, { ...address, pictures }) : noPlaces;
  }

  /** A reply with addresses of files may be cached as one of files. */
  private cacheControl(call: Call, access: Access, fields: readonly string[], places: FileAddresses): string {
    const { address, deliverySharedMaxAgeSeconds } = this.options;
    const hasAddresses = places.hasAddresses || fields.length > 0;
    const isShared = isTokenInUrl(call) && (!hasAddresses || address.publicUrl !== undefined);
    return cacheOf(access, isShared, deliverySharedMaxAgeSeconds);
  }
}

function asKept(rendered: Rendered, cacheControl: string, { reads }: Access, headers?: string[]): Answer {
  const { body, coded, tag, lastModified } = rendered;
  const groups = reads === "public" ? rendered.groups : undefined;
  return json(body, { cacheControl, tag, lastModified, coded, headers, groups });
}

/** That of a state with HTML for its prose; types decide what becomes HTML, so a hash of the answer goes with it. */
const htmlTag = (tag: string | undefined): string =>
  tag === undefined ? rendererVersion : `${tag}-${rendererVersion}`;

/** The ETag of a part of a state, or of a state with more; what is in it may be newer than the state. */
const tagWith = (tag: string | undefined, text: LongText): string =>
  tag === undefined ? tagOfLong(text, "") : `${tag}-${tagOfLong(text, "")}`;

/** An entry with its working copy laid over; its ETag names both states. */
function laidOver(id: Slug, found: StagedEntry | undefined, access: Access): EntryReading {
  if (!found || !isReadable(found.entry, access)) throw problem("entry_not_found", { id });
  const { entry } = found;
  return { entry, tag: stagedTag(entry), headers: access.reads === "staged" ? stagedHeaders(found) : undefined };
}
