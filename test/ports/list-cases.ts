import { type Access, accessOf } from "../../src/core/access/access.ts";
import type { Path } from "../../src/core/path.ts";
import {
  children,
  few,
  fewFiles,
  inGroup,
  inState,
  later,
  paths,
  rare,
  releaseId,
  scheduled,
  staged,
} from "./skewed-store.ts";

/** Every kind of list, on a skewed store, and what it has to read. */

const now = 1_000_000;
export const readers = {
  delivery: accessOf({ kind: "delivery" }, now),
  management: accessOf({ kind: "management" }, now),
  preview: accessOf({ kind: "preview" }, now),
  release: accessOf({ kind: "preview", release: releaseId }, now),
  /** Shows more than what is public of one child of `big`. */
  border: accessOf({ kind: "preview", paths: ["big/e50" as Path] }, now),
  /** Once the scheduled ones are live, and no chore has listed them yet. */
  later: accessOf({ kind: "delivery" }, later + 1),
};
/** A token for one child of `big`, and for one of the paths of two. */
const limited = { ...readers.delivery, paths: ["big/e50", "p7"] as Path[] };

/** How entries stand in lists: an index has a part for each. */
const listings = 4;
const ten = { limit: "10" };
/** Ten, and one that shows that there are more. */
const page = 11;

/** `tested`: rows of an index in which the list has to look for its page. */
export type Case = {
  name: string;
  args: Args;
  tested: number;
  /** How many rows each of its conditions has; a list counts them up to a bound before it chooses one. */
  met?: readonly number[];
  /** Rows that it counts. */
  counted?: number;
  /** Looks into the children of a path, for all paths. */
  looks?: number;
  /** Chunks of the lists of trigrams. */
  chunks?: number;
  access?: Access;
  top?: string;
  scan?: "listEntries" | "listFiles" | "listFolders";
  /** The second page. */
  isNext?: true;
};

type Condition = { key: string; expr: string; value: string | string[] };
type Order = { field: string; direction?: string };
type Args = {
  where?: Condition;
  and_where?: Condition[];
  or_where?: Condition[];
  order_by?: Order | Order[];
  [name: string]: unknown;
};

const is = (key: string, expr: string, value: string | string[]): Condition => ({ key, expr, value });
const by = (field: string, direction = "asc") => ({ order_by: { field, direction } });
const [x, isNew, grouped] = [is("kind", "eq", "x"), is("state", "eq", "new"), is("group", "eq", "7")];
const newest = by("created_at", "desc");
const amber = is("text", "contains", "amber");
const everywhere = { depth: "*" };
/** A path has its row, and takes a look at the scalars of its children, and one at elements. */
const each = 4 * paths;
/** A trigram of all entries has about this many chunks; a text has few trigrams. */
const chunks = 8 * 25;

export const cases: readonly Case[] = [
  { name: "by path", args: ten, tested: page },
  { name: "newest", args: { ...newest, ...ten }, tested: page },
  { name: "newest, the next page", args: { ...newest, ...ten }, tested: page, isNext: true },
  { name: "newest for management", args: { ...newest, ...ten }, tested: listings * page, access: readers.management },
  {
    name: "newest with working copies",
    args: { ...newest, ...ten },
    tested: listings * page + staged,
    access: readers.preview,
  },
  {
    name: "newest of a release",
    args: { ...newest, ...ten },
    tested: page + staged,
    access: readers.release,
  },
  {
    name: "newest of a preview of one entry",
    args: { ...newest, ...ten },
    tested: listings * page,
    access: readers.border,
  },
  { name: "newest with what is due", args: { ...newest, ...ten }, tested: page + scheduled, access: readers.later },
  { name: "the last by path", args: { return: "last" }, tested: 2 },
  { name: "in the order of a field", args: { ...by("n"), ...ten }, tested: page },
  { name: "in the order of a field, downwards", args: { ...by("n", "desc"), ...ten }, tested: page },
  { name: "in the order of a field, the next page", args: { ...by("n"), ...ten }, tested: page, isNext: true },
  { name: "in the order of a field, far below", args: { ...by("n"), ...ten, offset: "50" }, tested: 50 + page },
  { name: "in the order of a field that few have", args: { ...by("rare"), ...ten }, tested: page },
  {
    name: "in the order of a field that few have, past its end",
    args: { ...by("rare"), limit: "30" },
    tested: 31,
  },
  { name: "in an order that thousands share", args: { ...by("state"), ...ten }, tested: listings * page },
  {
    name: "in the order of two fields, the first of which thousands share",
    args: { order_by: [{ field: "state" }, { field: "n" }], ...ten },
    tested: inState,
  },
  { name: "by a condition of few, in order", args: { where: x, ...by("n"), ...ten }, tested: few, met: [few] },
  {
    name: "by a condition of many, in order",
    args: { where: isNew, ...by("n"), ...ten },
    tested: (page * children) / inState,
    met: [inState],
  },
  {
    name: "by two conditions, in order",
    args: { where: x, and_where: [isNew], ...by("n"), ...ten },
    tested: few,
    met: [few, inState],
  },
  {
    name: "by a condition on the field of the order",
    args: { where: is("n", "gte", "19000"), ...by("n"), ...ten },
    tested: page,
  },
  { name: "by a condition, in the order of paths", args: { where: x, ...ten }, tested: few, met: [few] },
  { name: "a group", args: { where: grouped }, tested: inGroup, met: [inGroup] },
  {
    name: "a group, by two more conditions that many meet",
    args: { where: is("n", "gte", "0"), and_where: [grouped, is("state", "eq", "done")] },
    tested: inGroup,
    met: [children, inGroup, inState],
  },
  {
    name: "a group for management",
    args: { where: grouped },
    tested: inGroup,
    met: [inGroup],
    access: readers.management,
  },
  {
    name: "a group with working copies",
    args: { where: grouped },
    tested: inGroup + staged,
    met: [inGroup],
    access: readers.preview,
  },
  { name: "elements of a list", args: { where: is("tags", "eq", "seldom") }, tested: rare, met: [rare] },
  { name: "a range", args: { where: is("n", "between", ["100", "199"]) }, tested: 100, met: [100] },
  { name: "one of several", args: { where: is("group", "in", ["7", "8"]) }, tested: 2 * inGroup, met: [2 * inGroup] },
  { name: "some exist", args: { where: x, return: "exists" }, tested: few, met: [few] },
  { name: "one by chance", args: { where: grouped, return: "random" }, tested: inGroup, met: [inGroup] },
  { name: "grouped", args: { where: grouped, group_by: "state" }, tested: inGroup, met: [inGroup] },
  {
    name: "drafts",
    args: { where: is("visibility", "eq", "draft"), ...ten },
    tested: page,
    access: readers.management,
  },
  {
    name: "what was changed at a time",
    args: { where: is("modified_at", "gte", "19990"), ...by("modified_at", "desc"), ...ten },
    tested: listings * page,
    access: readers.management,
  },
  { name: "a search", args: { search: "amber basalt", ...ten }, chunks, tested: few },
  { name: "a search, in order", args: { search: "amber basalt", ...by("n"), ...ten }, chunks, tested: few },
  { name: "a text that contains another, newest", args: { where: amber, ...newest, ...ten }, chunks, tested: few },
  { name: "a pattern", args: { where: is("text", "regexp", "amber +basalt"), ...ten }, chunks, tested: few },
  { name: "a count", args: { return: "count" }, tested: 0, counted: children },
  { name: "a count of few", args: { where: x, return: "count" }, tested: 0, met: [few], counted: few },
  {
    name: "a count of a range",
    args: { where: is("n", "lt", "5000"), return: "count" },
    tested: 0,
    met: [5000],
    counted: 5000,
  },
  {
    name: "a count of two conditions",
    args: { where: x, and_where: [isNew], return: "count" },
    tested: few,
    met: [few, inState],
  },
  {
    name: "a negation with the total",
    args: { where: is("kind", "neq", "x"), ...by("n"), ...ten, total: "true" },
    tested: 2 * page,
    counted: children + few,
  },
  {
    name: "one condition or another, in order",
    args: { where: x, or_where: [is("rare", "exists", "true")], ...by("n"), ...ten },
    tested: (page * children) / few,
  },
  { name: "two of a path", args: { ...by("n") }, tested: 2, top: "p7" },
  // What lacks the field is last, and found only by a look at each.
  { name: "the last of a path", args: { ...by("n"), return: "last" }, tested: 2, top: "p7" },
  { name: "two of a path by a condition", args: { where: isNew, ...by("n") }, tested: 2, met: [2], top: "p7" },
  {
    name: "two of a path without an index",
    args: { where: is("text", "regexp", "^[ag]"), return: "shuffle" },
    tested: 2,
    top: "p7",
  },
  { name: "two of a path by a search", args: { search: "granite" }, chunks, tested: 2, top: "p7" },
  {
    name: "two of a path by a pattern",
    args: { where: is("text", "regexp", "gran+ite") },
    chunks,
    tested: 2,
    top: "p7",
  },
  { name: "a subtree by path", args: { ...everywhere, ...ten }, tested: page, top: "" },
  {
    name: "a subtree, newest",
    args: { ...everywhere, ...newest, ...ten },
    tested: 2 * paths + 2 * page,
    looks: each,
    top: "",
  },
  {
    name: "a subtree in the order of a field",
    args: { ...everywhere, ...by("n"), ...ten },
    tested: 2 * paths + 2 * page,
    looks: 2 * each,
    top: "",
  },
  {
    name: "a subtree by a condition",
    args: { ...everywhere, where: x, ...ten },
    tested: few,
    met: [few],
    looks: 2 * each,
    top: "",
  },
  {
    name: "a subtree by a search",
    args: { depth: "2", search: "amber basalt", ...ten },
    tested: few,
    chunks,
    looks: each,
    top: "",
  },
  {
    name: "a count of a subtree",
    args: { ...everywhere, where: x, return: "count" },
    tested: 0,
    met: [few],
    counted: few,
    looks: 2 * each,
    top: "",
  },
  { name: "the paths of a token", args: { where: x, ...by("n"), ...ten }, tested: few, met: [few], access: limited },
  // The children of the path above are read for those that the token names.
  {
    name: "the newest of a token",
    args: { ...everywhere, ...newest, ...ten },
    tested: children,
    access: limited,
    top: "",
  },
  {
    name: "files by a condition",
    args: { where: is("title", "eq", "basalt") },
    tested: fewFiles,
    met: [fewFiles],
    scan: "listFiles",
  },
  {
    name: "files of a token",
    args: ten,
    tested: 1,
    access: { ...limited, paths: ["f7" as Path] },
    top: "f7",
    scan: "listFiles",
  },
  { name: "files, newest", args: { sort_by: "ctime", ...ten }, tested: page, scan: "listFiles" },
  { name: "files by name", args: ten, tested: page, scan: "listFiles" },
  {
    name: "files in the order of a field that none has",
    args: { ...by("none"), ...ten },
    tested: page,
    scan: "listFiles",
  },
  { name: "files in the order of a field", args: { ...by("title"), ...ten }, tested: page, scan: "listFiles" },
  { name: "files of a small folder", args: { ...by("title"), ...ten }, tested: 1, top: "f7", scan: "listFiles" },
  { name: "folders", args: ten, tested: page, top: "", scan: "listFolders" },
];
