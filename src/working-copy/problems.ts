import { addProblems, type NamedEntry } from "../core/problem.ts";
import { type Id, type Named, quote, row } from "../core/problem-row.ts";
import "../version/problems.ts";

/** The failures of working copies and releases. */

const entriesOf = ({ length }: readonly NamedEntry[]): string => (length === 1 ? "one entry" : `${length} entries`);
const maxListed = 10;
const listed = (entries: readonly NamedEntry[]): string =>
  entries
    .slice(0, maxListed)
    .map(({ id }) => quote(id))
    .join(", ") + (entries.length > maxListed ? ", …" : "");

export const workingCopyProblems = addProblems({
  nothing_staged: row(
    "conflict",
    "Nothing staged",
    (p: Id & { isRelease?: boolean }) =>
      `"id" was ${quote(p.id)}; ${p.isRelease ? "the release has no working copies and no drafts" : "the entry has no working copy; only a draft can be published without one"}`,
    "id",
  ),
  staged_outdated: row(
    "conflict",
    "Working copy outdated",
    (p: Id & { keys: string; entries?: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; keys of ${p.entries ? "its working copies" : "its working copy"} were changed live since they were staged: ${p.keys}; stage them again, drop them, or publish without "current"`,
    "id",
  ),
  publish_scheduled: row(
    "conflict",
    "Publishing scheduled",
    (p: Id & { at: number; argument?: string; release?: string | null }) =>
      `"${p.argument ?? "id"}" was ${quote(p.id)}; ${p.release === p.id ? "the release" : "its working copy"} is published at ${p.at} and cannot change until then; ${p.release ? `POST /api/releases/publish of the release ${quote(p.release)}` : "publish"} with "at": null takes the time back`,
    "id",
  ),
  too_many_copies: row(
    "conflict",
    "Too many working copies",
    (p: { limit: number }) => `There are ${p.limit} working copies already, as many as a store can have`,
  ),
  release_not_found: row(
    "not_found",
    "Release not found",
    (p: Named & Id) => `"${p.argument}" was ${quote(p.id)}; there is no release with this id`,
  ),
  release_published: row(
    "conflict",
    "Release published",
    (p: Named & Id) =>
      `"${p.argument}" was ${quote(p.id)}; the release is published and does not change any more, unless it is undone`,
  ),
  release_not_published: row(
    "conflict",
    "Release not published",
    (p: Id) => `"id" was ${quote(p.id)}; the release is not published, so there is nothing to undo`,
    "id",
  ),
  release_full: row(
    "conflict",
    "Release full",
    (p: { release: string; limit: number }) =>
      `"release" was ${quote(p.release)}; it has ${p.limit} entries already, as many as a release can have`,
    "release",
  ),
  release_invalid: row(
    "unprocessable",
    "Release invalid",
    (p: Id & { entries: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; nothing was changed, since ${entriesOf(p.entries)} cannot be as the release says: ${p.entries[0]?.detail}`,
    "id",
  ),
  release_changed: row(
    "precondition",
    "Release changed",
    (p: Id & { entries: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; nothing was undone, since ${entriesOf(p.entries)} changed after the release was published: ${listed(p.entries)}`,
    "id",
  ),
  in_release: row(
    "conflict",
    "In a release",
    (p: Named & Id & { release: string }) =>
      `"${p.argument}" was ${quote(p.id)}; its working copy goes live with the release ${quote(p.release)}; PATCH /api/entries/staged with "release": null takes it out`,
  ),
  too_many_releases: row(
    "conflict",
    "Too many releases",
    (p: { limit: number }) => `There are ${p.limit} releases already, as many as a store can have`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof workingCopyProblems> {}
}

/** What a write that brings an entry into a release throws. */
export const releaseRefusals = [
  "release_not_found",
  "release_published",
  "publish_scheduled",
  "release_full",
  "in_release",
  "too_many_copies",
] as const;

export { problem } from "../core/problem.ts";
