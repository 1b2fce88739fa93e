import { addProblems } from "../core/problem.ts";
import { type Id, quote, row, wasNot } from "../core/problem-row.ts";
import "../file/problems.ts";

/** The failures of uploads that go on. */

export const transferProblems = addProblems({
  upload_not_found: row(
    "not_found",
    "Upload not found",
    (p: Id) =>
      `There is no upload ${quote(p.id)} that was begun with this token: it was ended, or kept for as long as uploads are`,
    "id",
  ),
  upload_locked: row(
    "locked",
    "Upload in use",
    (p: Id) => `Another request appends to the upload ${quote(p.id)} now; try again in a few seconds`,
    "id",
  ),
  upload_offset_mismatch: row(
    "conflict",
    "Upload offset mismatch",
    (p: { received: number; offset: number }) =>
      `"Upload-Offset" was ${p.received}; the service has ${p.offset} bytes: go on there`,
    "Upload-Offset",
  ),
  upload_unfinished: row(
    "conflict",
    "Upload unfinished",
    (p: { offset: number; length: number }) =>
      `The upload is no file yet: ${p.offset} of its ${p.length} bytes are here`,
  ),
  upload_too_long: row(
    "too_large",
    "Longer than announced",
    (p: { length: number }) => `The bytes go past the ${p.length} that "Upload-Length" announced`,
    "Upload-Length",
  ),
  too_many_uploads: row(
    "throttled",
    "Too many uploads",
    (p: { limit: number }) => `"token" has begun ${p.limit} uploads that are not finished, as many as it may have`,
  ),
  tus_version_unsupported: row(
    "precondition",
    "Version of tus unsupported",
    (p: { received: string; accepted: string }) => `"Tus-Resumable" was ${quote(p.received)}; expected ${p.accepted}`,
    "Tus-Resumable",
  ),
  checksum_unsupported: row("invalid", "Checksum unsupported", wasNot),
  checksum_mismatch: row(
    "checksum",
    "Checksum mismatch",
    () => `The bytes do not have the hash of "Upload-Checksum", and were not kept; send them again`,
    "Upload-Checksum",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof transferProblems> {}
}

export { problem } from "../core/problem.ts";
