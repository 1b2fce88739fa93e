import type { Path } from "./path.ts";
import type { Token } from "./token.ts";

/**
 * What the holder of a token may see and write, at one moment. Computed once, at authentication; nothing after it looks
 * at the token's kind. Contract, part two, For all of it.
 */
export type Access = Readonly<{
  /**
   * `nothing`; `public`: what is public at `nowSeconds`; `preview`: also drafts and what is not published yet;
   * `management`: everything.
   */
  reads: "nothing" | "public" | "preview" | "management";
  /** The paths at and below which it holds; null for all. No token has paths yet. */
  paths: readonly Path[] | null;
  /** Whether writes go live (`all`), are staged, or are refused. */
  writes: "none" | "staged" | "all";
  nowSeconds: number;
}>;

/**
 * How fresh an answer must be. What management reads is never older than any write that was answered, on any node; what
 * delivery reads may be two seconds older on a node that did not write it. Contract §4.
 */
export type Reader = "delivery" | "management";

type Rights = Pick<Access, "reads" | "writes">;

const noRights: Rights = { reads: "nothing", writes: "none" };
/** By kind. A kind that is not here has no rights: a newer version of the service may have made the token. */
const rights: ReadonlyMap<string, Rights> = new Map([
  ["delivery", { reads: "public", writes: "none" }],
  ["management", { reads: "management", writes: "all" }],
  ["images", noRights],
  ["access", noRights],
]);

/** What the token gives access to; without a token nothing. */
export function accessOf(token: Pick<Token, "kind"> | undefined, nowSeconds: number): Access {
  const { reads, writes } = (token && rights.get(token.kind)) ?? noRights;
  return { reads, writes, paths: null, nowSeconds };
}

/** The same access, of which only what is public is read. */
export const asPublic = (access: Access): Access =>
  access.reads === "nothing" ? access : { ...access, reads: "public" };

/** How fresh an answer for this access must be. */
export const readerOf = ({ reads }: Access): Reader => (reads === "public" ? "delivery" : "management");
