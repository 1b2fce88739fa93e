import { refuseEntryOutside } from "../core/access/access.ts";
import type { BlobStore } from "../core/bytes/blob.ts";
import { local, manages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { type Answer, data, managementCache, modifiedDate, tagged } from "../core/http/reply.ts";
import { type ArgumentReader, argument, ifSent, type Route, route, writerOf } from "../core/http/route.ts";
import { readTime, slug, slugOrRoot } from "../core/http/schema.ts";
import { describeJson } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { formatSequence, parseSequence } from "../core/list/cursor.ts";
import { rootPath, type Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import type { EntryStore } from "../entry/entry.ts";
import { entryObject } from "../entry/wire.ts";
import { writtenAnswer } from "../entry/written-wire.ts";
import { type FileStore, formatFile } from "../file/file.ts";
import type { FolderKey } from "../file/folder.ts";
import {
  type AddressOptions,
  addressOf,
  addressTag,
  asSent,
  dialectNames,
  pathToWrite,
} from "../file/uploads-address-wire.ts";
import { fileObject } from "../file/wire.ts";
import type { PersonStore } from "../people/person.ts";
import { formatRegistryItem, type RegistryStore } from "../registry/registry.ts";
import { registryKey } from "../registry/routes.ts";
import { registryItem } from "../registry/wire.ts";
import { localeArgument, refuseOther, writerIn } from "../translation/read-wire.ts";
import type { TranslationStore } from "../translation/translation.ts";
import { type WrittenOptions, writtenIn } from "../translation/written-wire.ts";
import { typeRefusals } from "../type/problems.ts";
import { fileBytes } from "../upload/routes.ts";
import { historyRow } from "./history-wire.ts";
import { historyFields, type VersionedThing, type VersionStore } from "./version.ts";
import { existingEntry, existingFile, fileAt, registryItemAt } from "./version-at.ts";

export type HistoryStores = {
  history: VersionStore;
  people: PersonStore;
  entries: EntryStore;
  translations: TranslationStore;
  files: FileStore;
  registry: RegistryStore;
  blobs: BlobStore;
};

const rows = Type.Array(historyRow, { description: "Newest first, without what is in force now." });
const lists = listArguments(parseSequence);
/** A revision, from `least`. Digits are taken as text, too: clients keep what they cannot count with as text. */
const revisionArgument = (description: string, least: number) => {
  const expected = `a whole number of ${least} or more`;
  const read: ArgumentReader<number> = (sent, name) => {
    const value = sent.get(name);
    if (value === undefined) throw problem("argument_missing", { argument: name, accepted: `a revision, ${expected}` });
    const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(number) && (number as number) >= least) return number as number;
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted: expected });
  };
  const schema = Type.Integer({ minimum: least, description });
  return { required: argument(schema, read), optional: argument(Type.Optional(schema), ifSent(read)) };
};

const { required: revision, optional: anyRevision } = revisionArgument(
  "A revision: the content that was in force then.",
  1,
);
/** On reads of entries. */
export const { optional: entryRevision } = revisionArgument(
  "A revision: the content that was in force then, with today's id.",
  1,
);

/** /api/entries/history, /api/files/history, /api/registry/history, and the restores. Contract, part two, §11. */
export function versionRoutes(stores: HistoryStores, options: AddressOptions & WrittenOptions): Route[] {
  return [
    ...entryHistory(stores, options),
    ...fileHistory("/api/files", "path", stores, options),
    ...fileHistory("/api/media/files", "id", stores, options),
    ...registryHistory(stores),
  ];
}

const list = (call: Call, { history, people }: HistoryStores, thing: VersionedThing, args: object): Promise<Answer> =>
  listPage(call, args, {
    read: (limit, before: number | undefined) => history.list(thing, before, limit),
    fields: historyFields,
    actors: { people, of: ["actor", "replaced_by"] },
    cursorOf: ({ nextRevision }) => formatSequence(nextRevision),
  });

// ---------------------------------------------------------------------------------------------- entries

const time = argument(
  Type.Optional(
    Type.Unsafe<number>({ type: ["integer", "string"], description: "A time: Unix seconds, or an ISO 8601 date." }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    return value === undefined ? undefined : readTime(name, value);
  },
);

function entryHistory(stores: HistoryStores, options: WrittenOptions): Route[] {
  const { entries } = stores;
  const locale = localeArgument(options.locales);
  return [
    route({
      method: "GET",
      url: "/api/entries/history",
      summary: "List the earlier contents of an entry",
      need: manages("entries"),
      arguments: { id: slug("The entry."), locale, ...lists },
      reply: rows,
      problems: ["entry_not_found", "path_invalid", "cursor_invalid", "locales_missing", "locale_unknown"],
      handle: async (call, { id, locale, ...page }) =>
        list(call, stores, { noun: "entry", thing: (await existingEntry(entries, id)).uuid, locale }, page),
    }),
    route({
      method: "POST",
      url: "/api/entries/restore",
      summary: "Bring back the earlier content of an entry, or of a subtree",
      need: local(writes("entries")),
      isOperation: true,
      replyForm: { headers: ["Octavo-Faults"] },
      arguments: {
        id: slugOrRoot("The entry; with `subtree` a path"),
        locale,
        revision: anyRevision,
        at: time,
        subtree: Type.Optional(Type.Boolean({ description: "True, with `at`: all entries at and below the id." })),
        state: Type.Optional(
          Type.Boolean({ description: "True: the service's fields as they were then, too; absent: they stay." }),
        ),
      },
      reply: Type.Union([entryObject, Type.Object({ restored: Type.Integer({ description: "How many differed." }) })], {
        description: "The entry; of a subtree how many entries differed.",
      }),
      problems: [
        "entry_not_found",
        "path_invalid",
        "revision_not_found",
        "revision_mismatch",
        "argument_conflict",
        "subtree_too_large",
        ...typeRefusals,
      ],
      handle: (call, args) => {
        refuseOther(call, options.locales, args.locale);
        return restoreEntries(call, stores, options, args);
      },
    }),
  ];
}

type Restore = { id: Slug; locale?: string; revision?: number; at?: number; subtree?: boolean; state?: boolean };

async function restoreEntries(
  call: Call,
  { entries, translations }: HistoryStores,
  options: WrittenOptions,
  args: Restore,
): Promise<Answer> {
  const { id, locale, revision, at, subtree = false, state = false } = args;
  const parts = state ? "data and state" : "data";
  const context = writerIn(call, locale);
  refuseEntryOutside(call.access, id);
  if (revision !== undefined && at !== undefined)
    throw problem("argument_conflict", { first: "revision", second: "at" });
  if (revision !== undefined && subtree) throw problem("argument_conflict", { first: "revision", second: "subtree" });
  if (locale && subtree) throw problem("argument_conflict", { first: "locale", second: "subtree" });
  if (at !== undefined) {
    if (!subtree) throw problem("argument_missing", { argument: "subtree", accepted: "true, beside at" });
    return data(
      JSON.stringify({
        restored: await entries.restoreSubtree(id, { atSeconds: at, parts }, context),
      }),
    );
  }
  if (revision === undefined) throw problem("argument_missing", { argument: "revision", accepted: "a revision" });
  if (id === rootPath) throw problem("entry_not_found", { id });
  const restored = await entries.restore(id, { revision, parts }, context);
  return locale ? writtenIn(translations, options, call.access, id, locale, restored) : writtenAnswer(restored);
}

// ---------------------------------------------------------------------------------------------- files

function fileHistory(url: string, key: FolderKey, stores: HistoryStores, options: AddressOptions): Route[] {
  const { files, blobs } = stores;
  const names = dialectNames(key);
  const path = pathToWrite("file", "The file.");
  const named = ["file_not_found", "path_invalid", "argument_conflict"] as const;
  const at = { names, method: "GET", need: manages("files"), arguments: { path, revision } } as const;
  return [
    route({
      names,
      method: "GET",
      url: `${url}/history`,
      summary: "List the earlier bytes and fields of a file",
      need: manages("files"),
      arguments: { path, ...lists },
      reply: rows,
      problems: [...named, "cursor_invalid"],
      handle: async (call, { path, ...page }) =>
        list(call, stores, { noun: "file", thing: (await existingFile(files, path)).uuid }, page),
    }),
    route({
      ...at,
      url: `${url}/history/state`,
      summary: "Fetch the earlier fields of a file",
      reply: fileObject,
      problems: [...named, "revision_not_found", "host_invalid"],
      handle: async (call, args) =>
        tagged(formatFile(await fileAt(stores, args.path, args.revision), addressOf(call, options))),
    }),
    route({
      ...at,
      url: `${url}/history/bytes`,
      summary: "Fetch the earlier bytes of a file",
      replyForm: { type: "*/*" },
      problems: [...named, "revision_not_found", "precondition_failed", "range_not_satisfiable"],
      handle: async (_call, args) => fileBytes(await fileAt(stores, args.path, args.revision), blobs, managementCache),
    }),
    route({
      names,
      method: "POST",
      url: `${url}/restore`,
      summary: "Bring back the earlier bytes and fields of a file",
      need: writes("files"),
      arguments: { path, revision },
      reply: fileObject,
      problems: [...named, "revision_not_found", "revision_mismatch", "host_invalid"],
      handle: async (call, { path, revision }) => {
        const at = addressOf(call, options);
        const file = await files.restore(path, { revision }, writerOf(call));
        return data(formatFile(file, at), {
          tag: addressTag(file.revision, at),
          lastModified: modifiedDate(file.modifiedAt),
        });
      },
    }),
  ].map(asSent);
}

// ---------------------------------------------------------------------------------------------- the registry

/** 0 for a value that was set before items had history. */
const { required: registryRevision } = revisionArgument("A revision: the value that was in force then.", 0);

function registryHistory(stores: HistoryStores): Route[] {
  const { registry } = stores;
  const id = registryKey;
  const thingOf = (key: string): VersionedThing => ({ noun: "registry_item", thing: key });
  return [
    route({
      method: "GET",
      url: "/api/registry/history",
      summary: "List the earlier values of a registry item",
      need: manages("registry"),
      arguments: { id, ...lists },
      reply: rows,
      problems: ["cursor_invalid"],
      handle: (call, { id, ...page }) => list(call, stores, thingOf(id), page),
    }),
    route({
      method: "GET",
      url: "/api/registry/history/state",
      summary: "Fetch the earlier value of a registry item",
      need: manages("registry"),
      arguments: { id, revision: registryRevision },
      reply: registryItem,
      problems: ["revision_not_found"],
      handle: async (_call, args) => tagged(formatRegistryItem(await registryItemAt(stores, args.id, args.revision))),
    }),
    route({
      method: "POST",
      url: "/api/registry/restore",
      summary: "Bring back the earlier value of a registry item",
      need: writes("registry"),
      isOperation: true,
      arguments: { id, revision: registryRevision },
      reply: registryItem,
      problems: ["revision_not_found"],
      handle: async (call, args) => {
        return data(formatRegistryItem(await registry.restore(args.id, { revision: args.revision }, writerOf(call))));
      },
    }),
  ];
}
