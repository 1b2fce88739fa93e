import type { Access } from "../core/access/access.ts";
import {
  type CollectionArguments,
  type EntryCollectionArguments,
  filterArguments,
  includeSent,
  isCollection,
} from "../core/http/collection.ts";
import type { Json } from "../core/lib/json.ts";
import { memo } from "../core/lib/memo.ts";
import { parseInclude } from "../core/list/include.ts";
import {
  type CollectionBounds,
  type CollectionQuery,
  type Projection,
  parseCollection,
  parseProjection,
} from "../core/list/list.ts";
import type { OptionalMember } from "../core/list/member.ts";
import type { Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import { membersIn } from "../file/member-wire.ts";
import type { Render } from "../render/render.ts";
import { imagePresetOf, rendersHtml } from "../render/wire.ts";
import type { LocaleArguments } from "../translation/read-wire.ts";
import { timeFields } from "./field.ts";
import { translationFilter } from "./locale-wire.ts";

type OwnArguments = LocaleArguments & {
  id: Slug;
  include?: Json;
  render?: Render;
  imagePreset?: string;
  revision?: number;
};
/** The arguments of a read of entries as they were sent: the filter has one name or the other. */
export type SentEntryArguments = EntryCollectionArguments & OwnArguments;
/** The same with the filter under its own name. */
export type EntryReadArguments = CollectionArguments & OwnArguments;

/** What a read of entries asks for: all of its arguments, read once. */
export type EntryQuery = OneEntryQuery | EntryListQuery;

type AnyEntryQuery = {
  id: Slug;
  /** The fields whose references are sent along. */
  fields: readonly string[];
  /** Whether prose becomes HTML. */
  isHtml: boolean;
  /** The public preset in which the HTML shows pictures; undefined where there is no HTML. */
  imagePreset: string | undefined;
  /** What files that are sent along have besides. */
  members: readonly OptionalMember[];
  /** Whether a list says which paths its entries have in all locales. */
  hasLocaleInfo: boolean;
};

/** A collection below the id. */
export type EntryListQuery = AnyEntryQuery & {
  collection: CollectionQuery;
  /** With the state of translations that it asks for. */
  access: Access;
};

/** The entry at the id. */
export type OneEntryQuery = AnyEntryQuery & {
  collection: undefined;
  /** The event whose content is read; undefined for that of today. */
  revision: number | undefined;
  /** Is read where there is an entry: that there is none is reported first. Throws filter_invalid. */
  projection(): Projection | undefined;
};

/** Who reads, by what the route lets him see and by his token, and how the service is set. */
type ReadContext = {
  access: Access;
  token: Access;
  bounds: CollectionBounds;
  defaultRender: Render;
  presets: ReadonlySet<string>;
};

/** Throws argument_invalid, argument_conflict, and what parseCollection throws. */
export function readEntryQuery(args: EntryReadArguments, reader: ReadContext): EntryQuery {
  const { id, revision, options } = args;
  const filter = memo(() => filterArguments(args));
  const [sent, argument] = includeSent(args, filter);
  const fields = parseInclude(sent, argument);
  const isHtml = rendersHtml(reader.token, args, reader.access, reader.defaultRender);
  const preset = imagePresetOf(args, reader.presets);
  const hasLocaleInfo = args.localeInfo === true;
  const imagePreset = isHtml ? preset : undefined;
  const query = { id, fields, isHtml, imagePreset, members: membersIn(args), hasLocaleInfo };
  if (!isCollection(args))
    return { ...query, collection: undefined, revision, projection: () => options && parseProjection(filter()) };
  if (revision !== undefined) throw problem("argument_conflict", { first: "revision", second: "filter" });
  const collection = parseCollection(id, filter(), { ...reader.bounds, times: timeFields });
  return {
    ...query,
    collection: fields.length === 0 ? collection : { ...collection, include: fields },
    access: translationFilter(reader.access, filter().get("translation")),
  };
}
