import { insertRows, type Row } from "../core/sql/sql.ts";
import type { WorkingCopy } from "../working-copy/staged.ts";
import { toCopy } from "../working-copy/staged-rows.ts";

/** The rows of what migrations replaced. */

/** One thing that a migration changed; see 0033-type-migrations.sql. */
export type KeptItem = {
  readonly noun: "entry" | "type" | "view" | "person";
  readonly thing: string;
  readonly name: string;
  readonly revision: number;
  readonly stagedRevision: number | null;
  readonly isChanged: boolean;
  readonly before: string | null;
  readonly after: string | null;
};

export const itemColumns = ["noun", "thing", "name", "revision", "staged_revision", "is_changed", "before", "after"];

export const insertItems = insertRows(
  "migration_item",
  ["migration", ...itemColumns],
  ["integer", "text", "text", "text", "integer", "integer", "integer", "text", "text"],
);

export const itemValues = (migration: number, item: KeptItem) => [
  migration,
  item.noun,
  item.thing,
  item.name,
  item.revision,
  item.stagedRevision,
  Number(item.isChanged),
  item.before,
  item.after,
];

export function toItem(row: Row): KeptItem {
  const [noun, thing, name, revision, stagedRevision, isChanged, before, after] = row as unknown as readonly [
    KeptItem["noun"],
    string,
    string,
    number,
    number | null,
    number,
    string | null,
    string | null,
  ];
  return { noun, thing, name, revision, stagedRevision, isChanged: isChanged === 1, before, after };
}

/** What an item of an entry, or of a translation, is about. */
export const thingOf = (uuid: string, locale: string | undefined): string =>
  locale === undefined ? uuid : `${uuid} ${locale}`;

/** The inverse; the locale of the source is "". */
export function placeOf(thing: string): { uuid: string; locale: string } {
  const [uuid = "", locale = ""] = thing.split(" ");
  return { uuid, locale };
}

/** The row of a working copy as JSON text, which numbers and texts alone have. */
export const formatCopyRow = (row: Row): string => JSON.stringify(row);
export const parseCopyRow = (text: string): WorkingCopy => toCopy(JSON.parse(text) as Row);
