import type { Slug } from "../core/path.ts";

/**
 * The fields that the service keeps with the data of an entry, each written once: their columns and the rules of these,
 * what a request may set, what a working copy, a state of the history, an import and an export have of them are read
 * from this table. CONTRIBUTING, Add a column.
 */

export const visibilities = ["visible", "hidden", "draft"] as const;
export type Visibility = (typeof visibilities)[number];

/** The values of a field by its kind. Times are Unix seconds. */
type Values = {
  /** A time that a client may set. */
  date: number;
  /** A time of the service's clock. */
  time: number;
  text: string;
  flag: boolean;
  visibility: Visibility;
  uuid: string;
  slug: Slug;
};
export type FieldKind = keyof Values;

type Field = {
  /** Its column, and its name on the wire. */
  readonly name: string;
  readonly kind: FieldKind;
  /** Its value when it is not set. Absent: a client cannot set it. */
  readonly unset?: (entry: { readonly createdAt: number }) => Values[FieldKind];
  /** True when there are backups and states of the history that are older: it is not set there. */
  readonly isAdded?: boolean;
  /** A name for a field of the client that has this meaning. */
  readonly insteadOf: string;
};

/** In the order of the wire. */
const table = {
  publishedAt: { name: "published_at", kind: "date", unset: ({ createdAt }) => createdAt, insteadOf: "date" },
  createdAt: { name: "created_at", kind: "time", insteadOf: "date" },
  modifiedAt: { name: "modified_at", kind: "time", insteadOf: "revised_at" },
  publishedBy: { name: "published_by", kind: "text", unset: () => "", insteadOf: "publisher" },
  createdBy: { name: "created_by", kind: "text", unset: () => "", insteadOf: "author" },
  routable: { name: "routable", kind: "flag", unset: () => true, insteadOf: "has_page" },
  visibility: { name: "visibility", kind: "visibility", unset: () => "visible", insteadOf: "audience" },
  uuid: { name: "uuid", kind: "uuid", insteadOf: "external_id" },
  slug: { name: "slug", kind: "slug", insteadOf: "short_name" },
} as const satisfies Readonly<Record<string, Field>>;

type Table = typeof table;
export type EntryFields = { [P in keyof Table]: Values[Table[P]["kind"]] };
export type FieldName = Table[keyof Table]["name"];
type SettableKey = { [P in keyof Table]: Table[P] extends { unset: unknown } ? P : never }[keyof Table];

/** The fields that a client may set; absent means "not sent", null means "sent as unset". */
export type SettableFields = { [P in SettableKey]?: EntryFields[P] | null };

export type EntryField = Field & { readonly key: keyof EntryFields };
export type SettableField = Required<Pick<Field, "name" | "unset">> & {
  readonly key: SettableKey;
  readonly kind: Table[SettableKey]["kind"];
};

export const entryFields: readonly EntryField[] = Object.entries(table).map(([key, field]) => ({
  ...field,
  key: key as keyof EntryFields,
}));
export const settableFields = entryFields.filter(({ unset }) => unset) as unknown as readonly SettableField[];

/** Their names on the wire: none is part of the client's data. */
export const serviceFields: ReadonlySet<string> = new Set(entryFields.map(({ name }) => name));

/** Those that are times: conditions on them read dates. */
export const timeFields: ReadonlySet<string> = new Set(
  entryFields.filter(({ kind }) => kind === "date" || kind === "time").map(({ name }) => name),
);

/** The fields as they follow the client's data in the object of an entry. Not read from the table: it is in each reply. */
export const formatFields = (entry: EntryFields): string =>
  `"published_at":${entry.publishedAt},"created_at":${entry.createdAt},"modified_at":${entry.modifiedAt},` +
  `"published_by":${JSON.stringify(entry.publishedBy)},"created_by":${JSON.stringify(entry.createdBy)},` +
  `"routable":${entry.routable},"visibility":"${entry.visibility}","uuid":"${entry.uuid}",` +
  `"slug":${JSON.stringify(entry.slug)}`;

/** The settable fields before any is set. Filling keys that are there takes half the time of adding them to an entry. */
export const noFields = Object.fromEntries(settableFields.map(({ key }) => [key, undefined]));

/** True for a draft that no client has dated: its first publish does. Contract §11, Working copies. */
export const isUndated = (entry: Pick<EntryFields, "visibility" | "publishedAt" | "createdAt">): boolean =>
  entry.visibility === "draft" && entry.publishedAt === entry.createdAt;

/** True when all that a client may set is the same. */
export const hasSameFields = (one: Partial<EntryFields>, other: Partial<EntryFields>): boolean =>
  settableFields.every(({ key }) => one[key] === other[key]);

/** The entry with these fields set; null sets one back to its default, which those have that it lacks. */
export function withFields<T extends { readonly createdAt: number }>(
  entry: T,
  fields: SettableFields,
): T & Pick<EntryFields, SettableKey> {
  const set: Record<string, unknown> = { ...entry };
  for (const { key, unset } of settableFields) {
    const sent = fields[key];
    if (sent !== undefined || set[key] === undefined) set[key] = sent ?? unset(entry);
  }
  return set as T & Pick<EntryFields, SettableKey>;
}
