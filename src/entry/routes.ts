import { asPublic, mayWrite, missingWrites, refuseLocale } from "../core/access/access.ts";
import { local, manages, type Need, reads, stages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { collectionProblems, entryCollectionArguments, facetCounts } from "../core/http/collection.ts";
import { entryGroups } from "../core/http/ignored.ts";
import { type Answer, noContent } from "../core/http/reply.ts";
import { argument, argumentsOf, objectReader, type Route, route, writerOf } from "../core/http/route.ts";
import { oneOf, purge, slug, slugOrRoot } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import { type Deleting, deletionOf, restrict, scopeOf, updateReferences } from "../reference/routes.ts";
import { imagePresetArgument, renderArgument } from "../render/wire.ts";
import { idUnlessPath, localeArguments, localeHeaderNames } from "../translation/read-wire.ts";
import { typeRefusals } from "../type/problems.ts";
import { entryRevision } from "../version/history-routes.ts";
import { releaseRefusals } from "../working-copy/problems.ts";
import type { StagedStore } from "../working-copy/staged.ts";
import { type EntryData, parseEntryData, toEntryInput } from "./data.ts";
import { type ConflictRule, conflictRules, type EntryInput, type EntryStore } from "./entry.ts";
import { includeArgument } from "./include-wire.ts";
import { EntryReader, type EntryReadOptions, type EntryStores } from "./read-wire.ts";
import { entryObject, entryOrList, included, localeInfo } from "./wire.ts";
import { writtenAnswer } from "./written-wire.ts";

const historyProblems = ["revision_not_found", "argument_conflict"] as const;

/** The client's own keys are validated by parseEntryData. */
export const readEntryData = objectReader(parseEntryData, "an object of fields to store");
export const entryData = argument(
  Type.Unsafe<EntryData>({
    type: "object",
    additionalProperties: true,
    description: "An object of fields to store.",
  }),
  readEntryData,
);

const release = Type.Optional(
  Type.String({ description: "The id of a release with which the draft goes live. Only for drafts." }),
);

const onConflict = Type.Optional(
  oneOf(
    conflictRules,
    "What becomes of an entry that is there: `fail` (the default) refuses, `update` merges as PATCH does, `replace` sets " +
      "the data whole and keeps the fields of the service that it does not name, `skip` leaves it.",
  ),
);

export type EntryOptions = EntryReadOptions & {
  /** Maximum number of keys of an entry, at all depths. */
  maxKeys: number;
  /** False where deletes are for good. */
  hasTrash: boolean;
};

/** /api/entries, /api/delivery/entries, /api/management/entries. Contract §2, §4. */
export function entryRoutes(stores: EntryStores, options: EntryOptions): Route[] {
  const entries = new EntryHandlers(stores, options);
  const reader = new EntryReader(stores, options);
  const id = slugOrRoot("The entry, or the parent of a collection", idUnlessPath(options.locales));
  const historic = {
    id,
    revision: entryRevision,
    include: includeArgument,
    render: renderArgument,
    imagePreset: imagePresetArgument,
    ...localeArguments(options.locales),
    ...entryCollectionArguments,
  };
  const { revision: _, ...rest } = historic;
  const present = rest as typeof historic;
  const read = (url: string, summary: string, need: Need, isDelivery: boolean, args = present): Route =>
    route({
      method: "GET",
      url,
      summary,
      unknown: "ignored",
      need,
      arguments: args,
      groups: entryGroups,
      reply: entryOrList,
      replyForm: {
        beside: { included, locales: localeInfo, facets: facetCounts },
        headers: [...(isDelivery ? [] : ["Octavo-Staged" as const]), "Octavo-Previews-Pending", ...localeHeaderNames],
      },
      problems: [
        "entry_not_found",
        "path_invalid",
        ...collectionProblems,
        "include_too_large",
        ...(args === historic ? historyProblems : []),
      ],
      handle: (call, args) => reader.read(call, args, isDelivery ? asPublic(call.access) : call.access),
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
    ...["/api/entries", "/api/management/entries"].flatMap((url) => writeRoutes(url, entries)).map(withoutLocale),
  ];
}

/** Refuses a locale, which must not reach the source: translations have addresses of their own. Contract §24. */
const withoutLocale = (route: Route): Route => ({
  ...route,
  read: (call) => {
    if (argumentsOf(call).has("locale"))
      throw problem("argument_unknown", { argument: "locale", near: elsewhere, names: [] });
    return route.read(call);
  },
});
const elsewhere = "locale of /api/entries/translations";

function writeRoutes(url: string, entries: EntryHandlers): Route[] {
  const id = slug("The entry.");
  const newId = slug("Where it goes.");
  const write = { need: writes("entries"), reply: entryObject, unknown: "ignored", isOperation: true } as const;
  return [
    route({
      ...write,
      need: stages("entries"),
      method: "POST",
      url,
      summary: "Create an entry",
      arguments: { id: slug("The id of the new entry."), data: entryData, release, onConflict },
      replyForm: { headers: ["Octavo-Outcome", "Octavo-Faults"] },
      problems: [
        "entry_exists",
        "entry_not_found",
        "path_invalid",
        "field_invalid",
        "data_too_large",
        "argument_conflict",
        "revision_mismatch",
        ...releaseRefusals,
        ...typeRefusals,
      ],
      handle: (call, args) => entries.create(call, args),
    }),
    route({
      ...write,
      need: local(writes("entries")),
      method: "PATCH",
      url,
      summary: "Update an entry",
      replyForm: { headers: ["Octavo-Faults"] },
      arguments: { id, data: entryData },
      problems: [
        "entry_not_found",
        "path_invalid",
        "field_invalid",
        "data_too_large",
        "revision_mismatch",
        ...typeRefusals,
      ],
      handle: (call, args) => entries.update(call, args),
    }),
    route({
      ...write,
      method: "PUT",
      url,
      summary: "Rename or move an entry with all its descendants",
      arguments: { id, newId, updateReferences },
      problems: [
        "entry_not_found",
        "entry_exists",
        "move_into_itself",
        "path_invalid",
        "revision_mismatch",
        "too_many_references",
        "data_too_large",
        ...typeRefusals,
      ],
      handle: (call, args) => entries.move(call, args),
    }),
    route({
      ...write,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy an entry with all its descendants",
      arguments: { id, newId },
      problems: [
        "entry_not_found",
        "entry_exists",
        "move_into_itself",
        "path_invalid",
        "revision_mismatch",
        ...typeRefusals,
      ],
      handle: (call, args) => entries.copy(call, args),
    }),
    route({
      ...write,
      method: "DELETE",
      url,
      summary: "Delete an entry with all its descendants",
      arguments: { id, purge, restrict },
      reply: undefined,
      problems: ["entry_not_found", "path_invalid", "revision_mismatch", "in_use", "type_too_costly"],
      handle: (call, args) => entries.delete(call, args),
    }),
  ];
}

const draftsOnly = 'none for what is live at once; a draft has "visibility": "draft" in its data';

type EntryAddress = { id: Slug };
type Places = EntryAddress & { newId: Slug };
type Input = EntryAddress & { data: EntryData };
type NewEntryOptions = { release?: string; onConflict?: ConflictRule };

class EntryHandlers {
  private readonly store: EntryStore;
  private readonly staged: StagedStore;
  private readonly options: EntryOptions;

  constructor({ entries, staged }: Pick<EntryStores, "entries" | "staged">, options: EntryOptions) {
    this.store = entries;
    this.staged = staged;
    this.options = options;
  }

  async create(call: Call, { id, data, release, onConflict }: Input & NewEntryOptions): Promise<Answer> {
    const rule = onConflict ?? "fail";
    const input = await this.inputOf(call, data);
    const isDraft = input.fields.visibility === "draft";
    const isCreate = rule === "fail" || rule === "skip";
    if (!mayWrite(call.access, "all") && !(isDraft && isCreate)) throw missingWrites();
    if (release !== undefined) {
      if (rule !== "fail") throw problem("argument_conflict", { first: "release", second: "on_conflict" });
      if (!isDraft) throw problem("argument_invalid", { argument: "release", received: release, accepted: draftsOnly });
    }
    const outcome = onConflict && "created";
    if (release !== undefined)
      return writtenAnswer(await this.staged.createDraft(id, input, release, writerOf(call)), outcome);
    if (rule === "fail") return writtenAnswer(await this.store.create(id, input, writerOf(call)), outcome);
    const upserted = await this.store.upsert(id, { ...input, onConflict: rule }, writerOf(call));
    return writtenAnswer(upserted, upserted.outcome);
  }

  async update(call: Call, { id, data }: Input): Promise<Answer> {
    refuseLocale(call.access, this.options.locales?.source);
    const input = await this.inputOf(call, data);
    return writtenAnswer(await this.store.update(id, input, writerOf(call)));
  }

  async move(call: Call, { id, newId, updateReferences }: Places & { updateReferences?: boolean }): Promise<Answer> {
    const scope = scopeOf(call, updateReferences);
    return writtenAnswer(await this.store.move(id, { newSlug: newId, redirected: scope }, writerOf(call)));
  }

  async copy(call: Call, { id, newId }: Places): Promise<Answer> {
    return writtenAnswer(await this.store.copy(id, { newSlug: newId }, writerOf(call)));
  }

  async delete(call: Call, { id, ...deleting }: EntryAddress & Deleting): Promise<Answer> {
    await this.store.delete(id, deletionOf(call, deleting, this.options.hasTrash), writerOf(call));
    return noContent;
  }

  private inputOf({ body }: Call, data: EntryData): MaybePromise<EntryInput> {
    return toEntryInput(data, { isMergePatch: body.isMergePatch, maxKeys: this.options.maxKeys });
  }
}
