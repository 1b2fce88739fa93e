import { type EntryField, type FieldKind, visibilities } from "../entry-field.ts";
import {
  added,
  anyTime,
  boolean,
  type Check,
  type Column,
  flag,
  oneOf,
  pathBelowRoot,
  text,
  time,
  uuid,
} from "./row-column.ts";

/** The service's fields of an entry in stored rows. */

const columns: Readonly<Record<FieldKind, Column>> = {
  date: anyTime,
  time,
  text,
  flag,
  visibility: oneOf(visibilities),
  uuid,
  slug: pathBelowRoot,
};

/** The column of a field. */
export function fieldColumn({ kind, isAdded, unset }: EntryField): Column {
  const column = columns[kind];
  if (!isAdded) return column;
  return added(column, ({ created_at }) => {
    const value = unset?.({ createdAt: Number(created_at) });
    return typeof value === "string" ? value : Number(value);
  });
}

/** The checks of fields in a JSON object, by name. */
export const fieldChecks = (fields: readonly { name: string; kind: FieldKind }[]): Readonly<Record<string, Check>> =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind === "flag" ? boolean : columns[kind].check]));
