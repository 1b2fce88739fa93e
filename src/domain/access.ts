import type { Path } from "./path.ts";
import type { Token } from "./token.ts";

/**
 * What the holder of a token may read and write, at one moment. Computed once, at authentication; later code does not
 * check the token's kind. Contract, part two, For all of it.
 */
export type Access = Readonly<{
  /**
   * `nothing`; `public`: what is public at `nowSeconds`; `preview`: also drafts and entries not published yet, with working
   * copies laid over; `management`: everything; `staged`: everything with working copies laid over.
   */
  reads: "nothing" | "public" | "preview" | "management" | "staged";
  /** The access holds at and below these paths; null for all. No token has paths yet. */
  paths: readonly Path[] | null;
  /** Whether writes go live (`all`), are staged, or are refused. */
  writes: "none" | "staged" | "all";
  nowSeconds: number;
}>;

/**
 * How fresh an answer must be. A management read reflects every write that was answered before it, on any node; a
 * delivery read may be two seconds stale on a node that did not make the write. Contract §4.
 */
export type Reader = "delivery" | "management";

type Rights = Pick<Access, "reads" | "writes">;

const noRights: Rights = { reads: "nothing", writes: "none" };
/** By kind. An unlisted kind has no rights: a newer version of the service may have created the token. */
const rights: ReadonlyMap<string, Rights> = new Map([
  ["delivery", { reads: "public", writes: "none" }],
  ["management", { reads: "management", writes: "all" }],
  ["images", noRights],
  ["access", noRights],
]);

/** The access that the token gives; none without a token. */
export function accessOf(token: Pick<Token, "kind"> | undefined, nowSeconds: number): Access {
  const { reads, writes } = (token && rights.get(token.kind)) ?? noRights;
  return { reads, writes, paths: null, nowSeconds };
}

/** The same access, limited to reading what is public. */
export const asPublic = (access: Access): Access =>
  access.reads === "nothing" ? access : { ...access, reads: "public" };

/** The same access with working copies laid over what it reads. */
export const asStaged = (access: Access): Access =>
  access.reads === "management" ? { ...access, reads: "staged" } : access;

/** True when the access reads entries with their working copies laid over. */
export const laysOver = ({ reads }: Access): boolean => reads === "staged" || reads === "preview";

/** What an access may see, as a text: two of one text see the same at the same second. */
export const sightOf = ({ reads, paths }: Access): string => `${reads} ${paths ? JSON.stringify(paths) : "*"}`;

/** How fresh an answer for this access must be. */
export const readerOf = ({ reads }: Access): Reader => (reads === "public" ? "delivery" : "management");
