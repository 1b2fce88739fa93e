import type { Path } from "../core/path.ts";
import type { EntryState } from "../entry/entry.ts";
import { settableFields } from "../entry/field.ts";

/** The body of a request that makes an entry what a file states. */

/** The arguments of a create: the data with all fields that a client may set, as the import of a store sets them. */
export function entryBody(slug: Path, state: EntryState, outcome: "created" | "replaced"): string {
  const fields = settableFields.flatMap(({ key, name, kind, unset }) => {
    const stated = state.fields[key] ?? (kind === "date" ? dateOf(state, outcome) : unset({ createdAt: 0 }));
    return stated === undefined || (kind === "date" && isUnset(state)) ? [] : [`"${name}":${JSON.stringify(stated)}`];
  });
  const data = `${state.data.slice(0, -1)},${fields.join(",")}}`;
  const rule = outcome === "replaced" ? ',"on_conflict":"replace"' : "";
  return `{"id":${JSON.stringify(slug)},"data":${data}${rule}}`;
}

/** An absent date is that of the file for a new entry, and kept for one that is there. */
const dateOf = ({ fileSeconds }: EntryState, outcome: "created" | "replaced"): number | undefined =>
  outcome === "created" ? fileSeconds : undefined;

/** Whether it is a draft that was never published: its date is that of its creation, also where it goes. */
const isUnset = ({ fields, createdAt, fileSeconds }: EntryState): boolean =>
  fields.visibility === "draft" && (fields.publishedAt ?? createdAt ?? fileSeconds) === (createdAt ?? fileSeconds);
