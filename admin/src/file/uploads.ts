import { OctavoConnectionError, OctavoProblem } from "../../../client/src/client.ts";
import type { ResumableUpload, UploadedFile } from "../../../client/src/resumable.ts";
import { type File, pathOf } from "../api/file.ts";
import { octavo, octavoConfig } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { refresh } from "../ui/query.ts";
import { storeOf } from "../ui/store.ts";
import type { Already } from "./already.ts";

/** The upload queue: three at a time, each with its progress; continues while other pages are shown. */

export type Upload = {
  readonly id: number;
  readonly file: Pick<globalThis.File, "name" | "size" | "type">;
  readonly folder: string;
  readonly naming: Naming;
  /** `asking` waits for an answer. `paused` goes on, also after a reload of the page: then the file has to be chosen again. */
  readonly state: "waiting" | "asking" | "sending" | "paused" | "done" | "failed" | "cancelled";
  /** What is asked about. */
  readonly already?: Already | undefined;
  /** From 0 to 1. */
  readonly progress: number;
  /** The failure, or the assigned name. */
  readonly note: string;
  /** True for one that can be paused. */
  readonly isLarge: boolean;
  /** True when the page does not have its bytes: it was begun before a reload. */
  readonly isElsewhere?: boolean;
  /** Its path, and the file as it was stored. */
  readonly path?: string;
  readonly stored?: File;
};

/**
 * Under which name it is stored: a taken one gets a number, the person is asked, or that file is replaced; the one with this
 * tag alone where there is one.
 */
export type Naming = "number" | "ask" | { readonly replaced: string; readonly tag?: string | undefined };

const atOnce = 3;
/** Above it an upload can be paused, and goes on after a reload. */
const largeBytes = 16 * 1024 * 1024;

const uploads = storeOf<readonly Upload[]>([]);
let lastId = 0;
const sending = new Map<number, AbortController>();
const bytes = new Map<number, globalThis.File>();
/** What ends the bytes on the service of those that were begun. */
const begun = new Map<number, ResumableUpload>();

const change = (id: number, part: Partial<Upload>): void =>
  uploads.set(uploads.get().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

export const watchUploads = uploads.watch;
export const useUploads = uploads.use;

/** Undefined when it was cleared. */
export const findUpload = (id: number): Upload | undefined => uploads.get().find((upload) => upload.id === id);

/** Uploads files, each under a free name unless that is said; returns their ids in order. One that was begun before goes on. */
export function upload(folder: string, files: Iterable<globalThis.File>, naming: Naming = "number"): number[] {
  const ids = [...files].map((file) => {
    const before = uploads
      .get()
      .find((each) => each.state === "paused" && each.folder === folder && isSame(each.file, file));
    const id = before?.id ?? ++lastId;
    bytes.set(id, file);
    if (before) change(id, { state: "waiting", isElsewhere: false });
    else uploads.set([...uploads.get(), { ...newUpload(id, folder, file), naming, state: "waiting" }]);
    return id;
  });
  sendNext();
  return ids;
}

const newUpload = (id: number, folder: string, file: Upload["file"]) =>
  ({ id, folder, file, naming: "number", progress: 0, note: "", isLarge: file.size > largeBytes }) as const;

const isSame = (a: Upload["file"], b: Upload["file"]): boolean => a.name === b.name && a.size === b.size;

export function cancel(id: number): void {
  sending.get(id)?.abort();
  void begun.get(id)?.cancel();
  begun.delete(id);
  // Without its bytes it cannot be sent again.
  if (findUpload(id)?.isElsewhere) uploads.set(uploads.get().filter((each) => each.id !== id));
  else change(id, cancelled);
}

/** Stops sending; what the service has stays. */
export function pause(id: number): void {
  change(id, { state: "paused" });
  sending.get(id)?.abort();
}

export function retry(id: number): void {
  change(id, { state: "waiting", note: "" });
  sendNext();
}

/** Goes on with one that is asked about; undefined sends nothing. */
export function answer(id: number, naming: Naming | undefined): void {
  if (findUpload(id)?.state !== "asking") return;
  change(id, naming === undefined ? skipped : { state: "waiting", naming });
  if (naming !== undefined) sendNext();
}

/** Whether it ends by itself, or goes on. */
export const isOpen = ({ state }: Upload): boolean => !["done", "failed", "cancelled"].includes(state);

/** Removes all finished uploads from the list. */
export const clearUploads = (): void => uploads.set(uploads.get().filter(isOpen));

addEventListener("beforeunload", (event) => {
  if (sending.size > 0) event.preventDefault();
});

/** Shows what an earlier page did not end, with its progress. */
export async function findUnfinished(): Promise<void> {
  if (!Object.keys(localStorage).some((key) => key.startsWith("octavo-upload "))) return;
  const { ResumableUpload, unfinishedUploads } = await resumable();
  for (const { folder, ...known } of unfinishedUploads(octavoConfig)) {
    const file = { ...known, type: "", slice: () => new Blob() };
    if (uploads.get().some((each) => each.folder === folder && isSame(each.file, file))) continue;
    const earlier = new ResumableUpload(octavoConfig, folder, file);
    const loaded = await earlier.loaded().catch(() => undefined);
    if (loaded === undefined) continue;
    const id = ++lastId;
    begun.set(id, earlier);
    const shown = { ...newUpload(id, folder, file), progress: loaded / file.size, isElsewhere: true } as const;
    uploads.set([...uploads.get(), { ...shown, state: "paused" }]);
  }
}

const resumable = () => import("../../../client/src/resumable.ts");

function sendNext(): void {
  for (const waiting of uploads.get().filter(({ state }) => state === "waiting")) {
    if (sending.size >= atOnce) return;
    void send(waiting);
  }
}

async function send(sent: Upload): Promise<void> {
  const { id } = sent;
  const abort = new AbortController();
  sending.set(id, abort);
  change(id, { state: "sending" });
  const part = await storeOrAsk(sent, bytes.get(id) as globalThis.File, abort.signal).catch((error: unknown) =>
    abort.signal.aborted ? stopped(id) : failed(error),
  );
  sending.delete(id);
  change(id, part);
  if (part.state === "done") bytes.delete(id);
  sendNext();
  if (part.state === "done") void refresh("files", "folders", ...(typeof sent.naming === "object" ? ["file"] : []));
  if (part.stored && sent.naming === "number") void noteSame(id, part.stored);
}

/** Says of what was not asked about that it is there twice. */
async function noteSame(id: number, stored: File): Promise<void> {
  const { findSame } = await import("./already.ts");
  const same = await findSame(stored).catch(() => undefined);
  if (same !== undefined)
    change(id, {
      note: say("{filename}. The same file is already at {place}", { filename: stored.filename, place: same }),
    });
}

/** Asks before anything is sent; and after it where the service has the file under another name. */
async function storeOrAsk(sent: Upload, file: globalThis.File, signal: AbortSignal): Promise<Partial<Upload>> {
  const { folder, naming } = sent;
  if (naming !== "ask") return store(sent, file, signal);
  const { findAlready } = await import("./already.ts");
  const already = await findAlready(folder, file);
  signal.throwIfAborted();
  if (already) return { state: "asking", already };
  try {
    return await store(sent, file, signal);
  } catch (error) {
    if (!(error instanceof OctavoProblem) || error.code !== "file_exists") throw error;
    return { state: "asking", progress: 0, already: { taken: file.name, same: [], isByBytes: true } };
  }
}

async function store(
  { id, folder, naming }: Upload,
  file: globalThis.File,
  signal: AbortSignal,
): Promise<Partial<Upload>> {
  const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
    change(id, { progress: total > 0 ? loaded / total : 0 });
  const replacing = typeof naming === "object" ? naming : undefined;
  const onConflict = replacing ? "replace" : naming === "ask" ? "fail" : "suffix";
  const options = { onConflict, onProgress, name: replacing?.replaced } as const;
  const ifMatch = replacing?.tag;
  const stored =
    file.size > largeBytes && ifMatch === undefined
      ? await storeLarge(id, folder, file, options, signal)
      : await octavo.files.upload(folder, file, { ...options, ifMatch, signal });
  begun.delete(id);
  const path = pathOf(stored);
  if (replacing) (await import("./replaced.ts")).offerReplaced(path, stored);
  return { state: "done", progress: 1, note: stored.filename, path, stored: stored as unknown as File };
}

async function storeLarge(
  id: number,
  folder: string,
  file: UploadedFile,
  options: ConstructorParameters<typeof ResumableUpload>[3],
  signal: AbortSignal,
) {
  const { ResumableUpload } = await resumable();
  const large = new ResumableUpload(octavoConfig, folder, file, options);
  begun.set(id, large);
  return large.send({ signal });
}

const cancelled = { state: "cancelled", note: say("Cancelled") } as const;
const skipped = { state: "cancelled", note: say("Not uploaded") } as const;
const stopped = (id: number): Partial<Upload> => (findUpload(id)?.state === "paused" ? {} : cancelled);

/** The service gives an upload another name than that of the file to be replaced, or the file has another state by now. */
const isMissed = (error: unknown): boolean =>
  error instanceof OctavoProblem && ["file_not_found", "revision_mismatch"].includes(error.code);
const missed = say("It was changed meanwhile, or no upload can have this name: rename it first.");

const failed = (error: unknown): Partial<Upload> => {
  if (isMissed(error)) return { state: "failed", note: missed };
  const isBroken = error instanceof OctavoConnectionError && error.status === undefined;
  return { state: "failed", note: isBroken ? say("The connection was lost") : inMebibytes(messageOf(error)) };
};

/** The size limit of uploads is set in powers of two, but a refusal names it in bytes. */
const inMebibytes = (message: string): string =>
  message.replace(/\b(\d{6,}) bytes\b/g, (_, bytes) => `${Number((bytes / 2 ** 20).toFixed(1))} MiB`);
