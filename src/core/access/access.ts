import { isWithin, type Path, rootPath } from "../path.ts";
import { type Problem, problem } from "../problem.ts";
import type { Token } from "./token.ts";

/**
 * The room of access: tokens, sessions, and what their holders may see.
 *
 * Here: what the holder of a token may read and write, at one moment. Computed once, at authentication; later code does not
 * check the token's kind. Contract, part two, For all of it.
 */
export type Access = Readonly<{
  /**
   * `nothing`; `public`: what is public at `nowSeconds`; `preview`: also drafts and entries not published yet, with working
   * copies laid over; `published`: what a preview reads where it shows no more than what is public; `release`: what would be
   * public if a release were published; `management`: everything; `staged`: everything with working copies laid over.
   */
  reads: "nothing" | "public" | "preview" | "published" | "release" | "management" | "staged";
  /** The id of that release, which there may be no more. */
  release?: string | undefined;
  /** The access holds at and below these paths of entries and uploads; null for all. */
  paths: readonly Path[] | null;
  /** Of a preview: it shows more than what is public at and below these paths only; otherwise wherever the access holds. */
  unpublished?: readonly Path[] | null;
  /** Whether writes go live (`all`), are staged, or are refused. */
  writes: "none" | "staged" | "all";
  /** The locales that its writes may change, by their names on the wire; absent or null for all. Contract §24, Rights. */
  locales?: readonly string[] | null;
  nowSeconds: number;
  /** In which locale entries are read; absent for the source, as it is stored. Contract §24. */
  locale?: LocaleSight | undefined;
}>;

/** A locale as entries are read in it. */
export type LocaleSight = Readonly<{
  /** The locale; "" for the source. */
  own: string;
  /** Itself and those that it falls back to, without the source. */
  chain: readonly string[];
  /** It falls back to none. */
  isStrict: boolean;
  /** Lists have only what is in this state there. */
  state?: string | undefined;
}>;

/** What of an access decides which version of an entry it sees. */
export type Sight = Pick<Access, "reads" | "release" | "unpublished" | "nowSeconds" | "locale">;

/** Where an access holds. */
export type Reach = Pick<Access, "paths">;

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
  ["preview", { reads: "preview", writes: "none" }],
  ["management", { reads: "management", writes: "all" }],
  ["images", noRights],
  ["access", noRights],
]);

type Limits = Pick<Token, "kind"> & Partial<Pick<Token, "paths" | "writes" | "locales" | "release" | "makerPaths">>;

/** The access that the token gives, on a write together with its access token; none without a token. */
export function accessOf(token: Limits | undefined, nowSeconds: number, accessToken?: Pick<Token, "paths">): Access {
  const { reads, writes } = (token && rights.get(token.kind)) ?? noRights;
  if (token && reads === "preview") return previewOf(token, nowSeconds);
  return {
    reads,
    paths: pathsInBoth(token?.paths ?? null, accessToken?.paths ?? null),
    writes: writes === "all" ? (token?.writes ?? writes) : writes,
    ...(token?.locales && { locales: token.locales }),
    nowSeconds,
  };
}

/** A preview reads wherever its maker may, and shows more than what is public below its own paths. Contract, part two, §11. */
const previewOf = ({ paths = null, makerPaths = null, release }: Limits, nowSeconds: number): Access => ({
  ...(release === undefined ? { reads: "preview" } : { reads: "release", release }),
  paths: makerPaths,
  unpublished: paths,
  writes: "none",
  nowSeconds,
});

/** Paths that are at or below one of each. Null is everywhere. */
function pathsInBoth(a: readonly Path[] | null, b: readonly Path[] | null): readonly Path[] | null {
  if (!a || !b) return a ?? b;
  const inside = (path: Path, paths: readonly Path[]) => paths.some((ancestor) => isWithin(path, ancestor));
  return [...new Set([...a.filter((path) => inside(path, b)), ...b.filter((path) => inside(path, a))])];
}

const level = { none: 0, staged: 1, all: 2 };

/** True when the access may make writes that require this much. */
export const mayWrite = (access: Access, needed: Access["writes"]): boolean => level[access.writes] >= level[needed];

/** The refusal of a write that would be live, for an access whose writes are staged. */
export const missingWrites = (): Problem => problem("scope_missing", { needed: "writes:all" });

/** Refuses a change of what a locale says, by its name on the wire; undefined where there are no locales. Throws scope_missing. */
export function refuseLocale({ locales }: Pick<Access, "locales">, locale: string | undefined): void {
  if (locales && (locale === undefined || !locales.includes(locale)))
    throw problem("scope_missing", { needed: `locales:${locale ?? "all"}` });
}

/** Refuses a change of what all locales have, to an access that holds in some; `why` follows. Throws scope_missing. */
export function refuseAllLocales({ locales }: Pick<Access, "locales">, why = ""): void {
  if (locales) throw problem("scope_missing", { needed: `locales:all${why}` });
}

/** True when the access holds at the path. */
export const reaches = ({ paths }: Reach, path: Path): boolean =>
  paths === null || paths.some((ancestor) => isWithin(path, ancestor));

/**
 * Where the access holds at and below the path: null for everywhere, otherwise the paths below it, of which there may be
 * none.
 */
export function reachedBelow(access: Access, path: Path): readonly Path[] | null {
  return reaches(access, path) ? null : (access.paths ?? []).filter((inside) => isWithin(inside, path));
}

/** True where a preview shows more than what is public; for any other access everywhere. */
export const isOpenAt = ({ unpublished }: Pick<Access, "unpublished">, path: Path): boolean =>
  !unpublished || unpublished.some((ancestor) => isWithin(path, ancestor));

/** The access to what is at one path. */
export const accessAt = (access: Access, path: Path): Access => (isOpenAt(access, path) ? access : asPublished(access));

/** The access to what is at and below a path: one with `unpublished` where the border of a preview is below. */
export function accessBelow(access: Access, path: Path): Access {
  if (!access.unpublished) return access;
  if (isOpenAt(access, path)) return { ...access, unpublished: null };
  const below = access.unpublished.filter((inside) => isWithin(inside, path));
  return below.length > 0 ? { ...access, unpublished: below } : asPublished(access);
}

const asPublished = ({ paths, writes, nowSeconds, locale }: Access): Access => ({
  reads: "published",
  paths,
  writes,
  nowSeconds,
  locale,
});

/** Refuses a path where the access does not hold as one where there is nothing. Throws entry_not_found. */
export function refuseEntryOutside(access: Access, id: Path): void {
  if (!reaches(access, id)) throw problem("entry_not_found", { id });
}

/**
 * True for a token that whoever manages entries may make, see and revoke: a preview of what its own access reaches.
 * Contract, part two, §11.
 */
export const isOwnPreview = (access: Access, { kind, paths }: Pick<Token, "kind" | "paths">): boolean =>
  kind === "preview" && (access.paths === null || (paths ?? [rootPath]).every((path) => reaches(access, path)));

/** The same access, limited to reading what is public; a preview keeps what it reads. */
export const asPublic = (access: Access): Access =>
  access.reads === "management" ? { ...access, reads: "public" } : access;

/** The same access with working copies laid over what it reads. */
export const asStaged = (access: Access): Access =>
  access.reads === "management" ? { ...access, reads: "staged" } : access;

/** True when the access reads entries with their working copies laid over. */
export const laysOver = ({ reads }: Pick<Access, "reads">): boolean =>
  reads === "staged" || reads === "preview" || reads === "release";

/** True when the access reads what is public, or would be. */
export const seesPublic = ({ reads }: Access): boolean =>
  reads === "public" || reads === "published" || reads === "release";

/** True for an access to what a site shows, now or later: that of a delivery token or a preview. */
export const isDelivered = (access: Access): boolean => seesPublic(access) || access.reads === "preview";

/** What an access may see, as a text: two of one text see the same at the same second. */
export const sightOf = ({ reads, release, paths, unpublished, locale }: Access): string =>
  `${reads}${release === undefined ? "" : ` ${release}`} ${paths ? JSON.stringify(paths) : "*"}${
    unpublished ? ` ${JSON.stringify(unpublished)}` : ""
  }${locale ? ` ${JSON.stringify(locale)}` : ""}`;

/** True for who may see every write, so that nothing about writes is a secret to him. */
export const seesEveryWrite = ({ reads, paths }: Access): boolean => reads === "management" && paths === null;

/** How fresh an answer for this access must be. */
export const readerOf = ({ reads }: Access): Reader => (reads === "public" ? "delivery" : "management");
