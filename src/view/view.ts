import type { WriteContext } from "../core/event.ts";
import { formatJson, type Json, jsonDepth } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import { maxDataDepth } from "../entry/entry.ts";
import { parseName } from "../people/person.ts";
import { problem } from "./problems.ts";

/**
 * A view is a table of entries that a person saved: where it is, its columns, order and filter. The service keeps what it is
 * given; the admin page reads it. Contract, part three, §19.
 */
export type View = Readonly<{
  id: string;
  /** The id of the person who made it. */
  person: string;
  title: string;
  /** The entries below this path; empty for all. */
  path: Path;
  /** The names of fields, in the order of the columns. */
  columns: readonly string[];
  /** As the argument `sort` of lists; may be empty. */
  sort: string;
  /** JSON text. */
  filter: string;
  isShared: boolean;
}>;

/** Who asks. */
export type Viewer = Readonly<{
  person: string;
  /** An owner changes what others share, too. */
  isOwner: boolean;
}>;

/** Where views are stored. Each write is one transaction with an event. */
export interface ViewStore {
  /** The person's own and those that are shared, by title. */
  list(person: string): Promise<View[]>;
  /** Stores a new view. Throws person_not_found, too_many_views. */
  create(view: View, context: WriteContext): Promise<View>;
  /** Replaces a view; its maker stays. Throws view_not_found, view_not_own, too_many_views. */
  put(view: View, viewer: Viewer, context: WriteContext): Promise<View>;
  /** Throws view_not_found, view_not_own. */
  delete(id: string, viewer: Viewer, context: WriteContext): Promise<void>;
}

/** Of a person. */
export const maxViews = 100;
/** Of all people. */
export const maxSharedViews = 500;
export const maxColumns = 50;
export const maxColumnLength = 200;
const maxViewBytes = 8 * 1024;

/** A view as it is sent. */
export type ViewInput = {
  title: string;
  path: Path;
  columns?: readonly string[] | undefined;
  sort?: string | undefined;
  filter?: Json | undefined;
  shared?: boolean | undefined;
};

/** Validates a view. Throws argument_invalid, data_too_large. */
export function newView(
  { title, path, columns = [], sort = "", filter = new Map(), shared = false }: ViewInput,
  { id, person }: Pick<View, "id" | "person">,
): View {
  if (jsonDepth(filter) > maxDataDepth) {
    const accepted = `at most ${maxDataDepth} levels`;
    throw problem("argument_invalid", { argument: "filter", received: `${jsonDepth(filter)} levels`, accepted });
  }
  const facts = { title: parseName("title", title), columns: [...new Set(columns)], filter: formatJson(filter) };
  return checkView({ id, person, path, ...facts, sort, isShared: shared });
}

/** The view, when it is within the bounds. Throws argument_invalid, data_too_large. */
export function checkView(view: View): View {
  const { columns, sort, filter } = view;
  if (columns.length > maxColumns || columns.some((name) => name === "" || name.length > maxColumnLength)) {
    const accepted = `at most ${maxColumns} names of 1 to ${maxColumnLength} characters`;
    throw problem("argument_invalid", { argument: "columns", received: `${columns.length} names`, accepted });
  }
  if (Buffer.byteLength(JSON.stringify(columns) + sort + filter) > maxViewBytes)
    throw problem("data_too_large", { argument: "filter", limit: maxViewBytes });
  return view;
}

/**
 * Refuses a change of another's view by who is no owner: view_not_own for one that is shared, view_not_found as if there were
 * none for others.
 */
export function refuseForeignView(view: View | undefined, id: string, { person, isOwner }: Viewer): View {
  if (!view || (view.person !== person && !view.isShared)) throw problem("view_not_found", { id });
  if (view.person !== person && !isOwner) throw problem("view_not_own", { id });
  return view;
}

/** A view under the names of the wire. Its filter is passed through as text: numbers past 2^53 would not survive a parse. */
export function formatView({ id, person, title, path, columns, sort, filter, isShared }: View, owner: string): string {
  const rest = { sort, shared: isShared, owner: person, owner_name: owner };
  return `${JSON.stringify({ id, title, path, columns, ...rest }).slice(0, -1)},"filter":${filter}}`;
}
