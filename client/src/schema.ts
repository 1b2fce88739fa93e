import type { Entries } from "./entry.ts";
import type { Fields, Projected } from "./field.ts";
import type {
  CallOptions,
  CreateOptions,
  Entry,
  EntryInput,
  Included,
  Including,
  MoveOptions,
  Page,
  PageQuery,
  Projection,
  PublishOptions,
  Query,
  Reading,
  Rendering,
  RestoreOptions,
  StageOptions,
  UpdateOptions,
  WithIncluded,
  WriteOptions,
} from "./public.ts";
import type { TranslationOptions, Translations } from "./translation.ts";

/** The types of a client whose content types are known. Types only: no code at run time. */

/** What `octavo types generate` makes: the ids, the data and the references of each content type. */
export type AnySchema = {
  entries: { [type: string]: { id: string; data: unknown; references: object; localized?: string } };
};
type Name<S extends AnySchema> = keyof S["entries"] & string;
type IdOf<S extends AnySchema, K extends Name<S>> = S["entries"][K]["id"];

// ------------------------------------------------------------------------------------------ types by id

/** The content types that an id may have by its path: none for a text of which nothing is known. */
type Matching<S extends AnySchema, Id extends string> = string extends Id
  ? never
  : { [K in Name<S>]: Id extends IdOf<S, K> ? K : never }[Name<S>];
/** The more specific ones: those whose ids do not include all ids of another. */
type Narrowest<S extends AnySchema, K extends Name<S>, All extends Name<S> = K> = K extends unknown
  ? true extends { [O in All]: IsNarrower<IdOf<S, O>, IdOf<S, K>> }[All]
    ? never
    : K
  : never;
type IsNarrower<A, B> = [A] extends [B] ? ([B] extends [A] ? false : true) : false;

/** The content type of an id; `never` if none is known. */
export type TypeOf<S extends AnySchema, Id extends string> = Narrowest<S, Matching<S, Id>>;
type ChildOf<Id extends string> = Id extends "" ? string : `${Id}/${string}`;

/** The data of a content type; any fields without a type. */
type DataOf<S extends AnySchema, K extends Name<S>> = [K] extends [never]
  ? Fields
  : K extends unknown
    ? KnownFields<S["entries"][K]["data"]>
    : never;
type KnownFields<D> = unknown extends D ? Fields : D;
type EntryWith<D> = D extends unknown ? Entry<D> : never;

/** An entry of a content type: `EntryOf<Schema, "movie">`. */
export type EntryOf<S extends AnySchema, K extends Name<S>> = EntryWith<DataOf<S, K>>;
type EntryAt<S extends AnySchema, Id extends string> = EntryOf<S, TypeOf<S, Id>>;

/** A draft may lack what its type requires. */
type NewData<D> = D extends unknown ? (D & Input) | (Projected<D> & Input & { visibility: "draft" }) : never;
type SomeData<D> = D extends unknown ? Partial<D> & Input : never;
type Input = EntryInput & { fieldset?: string };

// ----------------------------------------------------------------------------------------- references

/** What `include` may name: fields of the type, and from there fields of the types that they lead to. */
type IncludeName<S extends AnySchema, K extends Name<S>, Deep extends 0[] = []> = [K] extends [never]
  ? string
  : K extends unknown
    ? NameOf<S, S["entries"][K]["references"], Deep>
    : never;
type NameOf<S extends AnySchema, R, Deep extends 0[]> = {
  [N in keyof R & string]: N | (Deep["length"] extends 2 ? never : `${N}.${NextName<S, R[N], Deep>}`);
}[keyof R & string];
type NextName<S extends AnySchema, To, Deep extends 0[]> = string extends To
  ? string
  : [To] extends [never]
    ? never
    : To extends Name<S>
      ? IncludeName<S, To, [...Deep, 0]>
      : never;

/** The content types of what a name includes; `string` for any. */
type Target<S extends AnySchema, K extends Name<S>, N extends string> = [K] extends [never]
  ? string
  : K extends unknown
    ? TargetIn<S, S["entries"][K]["references"], N>
    : never;
type TargetIn<S extends AnySchema, R, N extends string> = {
  [F in keyof R & string]: N extends F
    ? R[F]
    : N extends `${F}.${infer Rest}`
      ? R[F] | NextTarget<S, R[F], Rest>
      : never;
}[keyof R & string];
type NextTarget<S extends AnySchema, To, Rest extends string> = string extends To
  ? string
  : [To] extends [never]
    ? never
    : To extends Name<S>
      ? Target<S, To, Rest>
      : never;

type EntriesOf<S extends AnySchema, To> = string extends To
  ? Record<string, Entry>
  : { [K in To & Name<S> as [IdOf<S, K>] extends [never] ? string : IdOf<S, K>]: EntryOf<S, K> };
/** `unknown` when nothing is included. */
type With<S extends AnySchema, K extends Name<S>, N extends string> = [N] extends [never]
  ? unknown
  : WithIncluded<Included<EntriesOf<S, Target<S, K, N>>>>;

// ------------------------------------------------------------------------------------------- translations

/** What each locale may have: of a type the keys that it marks. */
type LocalizedData<S extends AnySchema, K extends Name<S>> = [K] extends [never]
  ? Fields
  : K extends unknown
    ? S["entries"][K] extends { localized: infer N }
      ? Pick<DataOf<S, K>, N & keyof DataOf<S, K>>
      : DataOf<S, K>
    : never;

/** Translations that take what their content types let be translated. */
export interface TypedTranslations<S extends AnySchema> extends Omit<Translations, "put"> {
  /** Makes or changes a translation. Throws entry_not_found, revision_mismatch, data_invalid, name_taken. */
  put<Id extends string>(
    id: Id,
    locale: string,
    data?: SomeData<LocalizedData<S, TypeOf<S, Id>>>,
    options?: TranslationOptions,
  ): Promise<EntryAt<S, Id>>;
}

// ------------------------------------------------------------------------------------------- entries

type Typed = "fetch" | "list" | "each" | "first" | "count" | "url" | "create" | "update" | "move" | "copy";
type TypedToo = "at" | "restore" | "staged" | "stage" | "publish";
/** The path of a call whose fields are named by the caller: without a type argument none fits. */
type Explicit<T> = [T] extends [never] ? never : string;

type FetchOptions<N extends string> = Reading & Including<N>;
type Children<S extends AnySchema, Id extends string> = TypeOf<S, ChildOf<Id>>;
type ChildQuery<S extends AnySchema, Id extends string> = Query<EntryOf<S, Children<S, Id>>>;

/**
 * Entries whose fields follow from their ids. An id that matches no content type has any fields, and so has a text of
 * which the compiler knows nothing. Lists have the type of the children. With a type argument the caller names the fields.
 */
export interface TypedEntries<S extends AnySchema> extends Omit<Entries, Typed | TypedToo> {
  /** One entry. Throws entry_not_found, also for an entry that the token may not see. */
  fetch<T extends object = never>(id: Explicit<T>, options?: FetchOptions<never>): Promise<Entry<T>>;
  fetch<Id extends string, N extends IncludeName<S, TypeOf<S, Id>> = never>(
    id: Id,
    options?: FetchOptions<N>,
  ): Promise<EntryAt<S, Id> & With<S, TypeOf<S, Id>, N>>;
  /** Some fields of one entry. */
  fetch<Id extends string, N extends IncludeName<S, TypeOf<S, Id>> = never>(
    id: Id,
    options: FetchOptions<N> & Projection<EntryAt<S, Id>>,
  ): Promise<Projected<EntryAt<S, Id>> & With<S, TypeOf<S, Id>, N>>;

  /** One page of the entries below: children by id, unless the query says otherwise. Throws entry_not_found. */
  list<T extends object = never>(
    id: Explicit<T>,
    query?: PageQuery<Entry<NoInfer<T>>> & Rendering,
    options?: CallOptions,
  ): Promise<Page<Entry<T>>>;
  list<Id extends string, N extends IncludeName<S, Children<S, Id>> = never>(
    id: Id,
    query?: PageQuery<EntryOf<S, Children<S, Id>>> & Rendering & Including<N>,
    options?: CallOptions,
  ): Promise<Page<EntryOf<S, Children<S, Id>> & With<S, Children<S, Id>, N>> & With<S, Children<S, Id>, N>>;
  /** Some fields of them. */
  list<Id extends string, N extends IncludeName<S, Children<S, Id>> = never>(
    id: Id,
    query: PageQuery<EntryOf<S, Children<S, Id>>> & Rendering & Including<N> & Projection<EntryOf<S, Children<S, Id>>>,
    options?: CallOptions,
  ): Promise<Page<Projected<EntryOf<S, Children<S, Id>>> & With<S, Children<S, Id>, N>> & With<S, Children<S, Id>, N>>;

  /** All entries below, page by page; `limit` is the size of a page. Throws entry_not_found. */
  each<Id extends string, N extends IncludeName<S, Children<S, Id>> = never>(
    id: Id,
    query?: ChildQuery<S, Id> & Rendering & Including<N>,
    options?: CallOptions,
  ): AsyncGenerator<EntryOf<S, Children<S, Id>> & With<S, Children<S, Id>, N>, void>;
  /** The first of the entries below, or null. Throws entry_not_found when nothing is there or below. */
  first<Id extends string, N extends IncludeName<S, Children<S, Id>> = never>(
    id: Id,
    query?: ChildQuery<S, Id> & Rendering & Including<N>,
    options?: CallOptions,
  ): Promise<(EntryOf<S, Children<S, Id>> & With<S, Children<S, Id>, N>) | null>;
  /** The number of entries below. Throws entry_not_found when nothing is there or below. */
  count<Id extends string>(id: Id, query?: ChildQuery<S, Id>, options?: CallOptions): Promise<number>;
  /** The URL that `list` requests, without a token and `strict`. */
  url<Id extends string>(id: Id, query?: PageQuery<EntryOf<S, Children<S, Id>>> & Rendering): string;

  /** Throws entry_exists, field_invalid, data_invalid, data_too_large. */
  create<Id extends string>(
    id: Id,
    data: NewData<DataOf<S, TypeOf<S, Id>>>,
    options?: CreateOptions,
  ): Promise<EntryAt<S, Id>>;
  /** Sets these fields and leaves the others. Throws entry_not_found, revision_mismatch, field_invalid, data_invalid. */
  update<Id extends string>(
    id: Id,
    data: SomeData<DataOf<S, TypeOf<S, Id>>>,
    options?: UpdateOptions,
  ): Promise<EntryAt<S, Id>>;
  /** As `update`, in the working copy. */
  stage<Id extends string>(
    id: Id,
    data: SomeData<DataOf<S, TypeOf<S, Id>>>,
    options?: StageOptions,
  ): Promise<EntryAt<S, Id>>;
  /** Renames or moves the entry with all below it. Throws entry_not_found, entry_exists, move_into_itself. */
  move<Id extends string>(id: string, newId: Id, options?: MoveOptions): Promise<EntryAt<S, Id>>;
  /** Copies the entry with all below it; answers the copy. Throws as move does. */
  copy<Id extends string>(id: string, newId: Id, options?: WriteOptions): Promise<EntryAt<S, Id>>;
  /** The entry with the content of a revision. Throws entry_not_found, revision_not_found. */
  at<Id extends string>(id: Id, revision: number, options?: CallOptions): Promise<EntryAt<S, Id>>;
  /** Gives the entry the data of a revision, with `state` the service's fields, too. Throws entry_not_found, revision_not_found, revision_mismatch. */
  restore<Id extends string>(id: Id, revision: number, options?: RestoreOptions): Promise<EntryAt<S, Id>>;
  /** The entry with its working copy laid over. Throws entry_not_found. */
  staged<Id extends string>(id: Id, options?: CallOptions): Promise<EntryAt<S, Id>>;
  /** Makes the working copy, or a draft, live. Throws entry_not_found, nothing_staged, data_invalid. */
  publish<Id extends string>(id: Id, options?: PublishOptions): Promise<EntryAt<S, Id>>;
}
