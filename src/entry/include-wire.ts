import { type Access, laysOver, reaches, readerOf } from "../core/access/access.ts";
import type { GroupHeaders } from "../core/http/cache-group.ts";
import type { Call } from "../core/http/call.ts";
import type { Answer } from "../core/http/reply.ts";
import { argument } from "../core/http/route.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { listOf } from "../core/lib/list-of.ts";
import type { LongText } from "../core/lib/long-text.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { lookedForGroups, mayBeFile } from "../core/list/cache-group.ts";
import { jsonBytesOf, objectOf } from "../core/list/candidate.ts";
import {
  fewReferences,
  type Included,
  include,
  maxIncluded,
  type ReadThings,
  type Reference,
  referencesOf,
  usualBytes,
} from "../core/list/include.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import type { OptionalMember } from "../core/list/member.ts";
import type { Asker } from "../core/list/query.ts";
import type { Path } from "../core/path.ts";
import type { Problem } from "../core/problem.ts";
import { type File, type FileStore, formatFileWith } from "../file/file.ts";
import { type AddressOptions, addressOf } from "../file/uploads-address-wire.ts";
import type { Previews } from "../image/placeholder-wire.ts";
import type { FileTranslationStore } from "../translation/file-translation.ts";
import type { TranslationStore } from "../translation/translation.ts";
import type { StagedStore } from "../working-copy/staged.ts";
import type { Entry, EntryStore } from "./entry.ts";
import { entryItem } from "./item.ts";
import { problem } from "./problems.ts";
import { isReadable } from "./visibility.ts";

/** What reads of entries send along: `include`. Contract, part two, §10. */

/** Where files are, for their addresses, and what they have besides; `groups` where cache groups are asked for. */
export type IncludeOptions = Pick<AddressOptions, "root" | "publicUrl"> & {
  groups?: GroupHeaders | undefined;
  members: readonly OptionalMember[];
};

export type IncludeStores = {
  entries: EntryStore;
  staged: StagedStore;
  translations: TranslationStore;
  files: FileStore;
  fileTranslations: FileTranslationStore;
};

export const includeArgument = argument(
  Type.Optional(
    Type.Unsafe<Json>({
      type: "string",
      description:
        "Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`.",
    }),
  ),
  (sent, name) => sent.get(name),
);

/** Includes what one caller may see. */
export class Includer {
  /** The cache groups of what was looked for. */
  readonly groups: string[] = [];
  private readonly stores: IncludeStores;
  private readonly call: Call;
  private readonly access: Access;
  private readonly options: IncludeOptions;
  /** Where files are sent along with these. */
  private readonly previews: Previews | undefined;

  constructor(stores: IncludeStores, call: Call, access: Access, options: IncludeOptions, previews?: Previews) {
    this.stores = stores;
    this.call = call;
    this.access = access;
    this.options = options;
    this.previews = previews;
  }

  /** The reply with what was included. */
  finish(answer: Answer): Answer {
    return this.previews ? this.previews.finish(answer) : answer;
  }

  /** What an entry includes. Throws include_too_large. */
  async ofOne(object: Json, fields: readonly string[]): Promise<LongText> {
    const references = referencesOf(object, fields);
    if (references.length > fewReferences) await this.call.reserve(usualBytes(references.length));
    const { fits, json } = await include([references], this.read);
    if (fits === 0) throw tooLarge();
    return this.filled(json);
  }

  /**
   * A collection with what its items include: as many of a list as fit the bounds, and a cursor for the rest. Throws
   * include_too_large where one item does not fit, or what is no list does not, and what `list` throws.
   */
  async ofList(
    query: CollectionQuery,
    asker: Asker,
    list: (query: CollectionQuery, asker: Asker) => Promise<CollectionAnswer>,
  ): Promise<CollectionAnswer> {
    const found = await list(query, asker);
    const references: readonly (readonly Reference[])[] = found.references ?? [];
    if (references.flat().length > fewReferences) await asker.makeRoom();
    const { fits, json } = await include(references, this.read);
    if (fits === references.length) return { ...found, included: await this.filled(json) };
    if (fits === 0 || query.returns !== "list" || query.groupBy !== undefined) throw tooLarge();
    // Shorter: what another write adds meanwhile makes it shorter still.
    return this.ofList({ ...query, limit: fits }, asker, list);
  }

  private filled(json: LongText): MaybePromise<LongText> {
    return this.previews ? this.previews.fill(json) : json;
  }

  private get seesFiles(): boolean {
    return this.call.token?.resources.includes("files") === true;
  }

  private readonly read: ReadThings = async (paths) => {
    // Every name of a file has an extension.
    const named = this.seesFiles ? paths.filter(mayBeFile) : [];
    const [entries, files] = await Promise.all([this.entries(paths), this.files(named)]);
    return paths.map((path, i) => {
      const found = { uuid: entries[i]?.uuid, hasFile: files.has(path), seesFiles: this.seesFiles };
      if (this.options.groups) this.groups.push(...lookedForGroups(path, found));
      return [...listOf(entries[i]?.included), ...listOf(files.get(path))];
    });
  };

  private async entries(paths: readonly Path[]): Promise<({ uuid: string; included: Included } | undefined)[]> {
    const { entries, staged, translations } = this.stores;
    const found = this.access.locale
      ? await translations.findAll(paths, this.access)
      : laysOver(this.access)
        ? await staged.findAll(paths, this.access)
        : await entries.findAll(paths, readerOf(this.access));
    return found.map((entry) =>
      entry && isReadable(entry, this.access) ? { uuid: entry.uuid, included: includedEntry(entry) } : undefined,
    );
  }

  private async files(paths: readonly Path[]): Promise<Map<Path, Included>> {
    const inside = paths.filter((path) => reaches(this.access, path));
    if (inside.length === 0) return new Map();
    const { files, fileTranslations } = this.stores;
    const there = (await files.findAll(inside, readerOf(this.access))).filter((file) => file !== undefined);
    const { locale } = this.access;
    const found = locale ? await fileTranslations.laidOver(there, locale.chain) : there;
    const address = addressOf(this.call, this.options);
    const textOf = (file: File) => formatFileWith(file, this.options.members, address);
    return new Map(found.map((file) => [file.path, includedFile(textOf(file))]));
  }
}

function includedEntry(entry: Entry): Included {
  const item = entryItem(entry);
  return { kind: "entry", json: item.json, jsonBytes: jsonBytesOf(item), fields: () => objectOf(item) };
}

const includedFile = (json: string): Included => ({ kind: "file", json, jsonBytes: Buffer.byteLength(json) });

/** The refusal of what cannot be cut. */
export const tooLarge = (): Problem =>
  problem("include_too_large", {
    argument: "include",
    rule: `a reply includes at most ${maxIncluded} entries and files, in 16 MiB; name fewer fields, or read fewer entries at once`,
  });
