import { OctavoConnectionError } from "../../../client/src/client.ts";
import { pathOf } from "../api/file.ts";
import { octavo } from "../api/octavo.ts";
import { refresh } from "../ui/query.ts";
import { messageOf } from "../ui/state.tsx";
import { storeOf } from "../ui/store.ts";

/** The upload queue: three at a time, each with its progress; continues while other pages are shown. */

export type Upload = {
  readonly id: number;
  readonly file: globalThis.File;
  readonly folder: string;
  readonly state: "waiting" | "sending" | "done" | "failed" | "cancelled";
  /** From 0 to 1. */
  readonly progress: number;
  /** The failure, or the assigned name. */
  readonly note: string;
  /** Its path, once it is stored. */
  readonly path?: string;
};

const atOnce = 3;

const uploads = storeOf<readonly Upload[]>([]);
let lastId = 0;
const sending = new Map<number, AbortController>();

const change = (id: number, part: Partial<Upload>): void =>
  uploads.set(uploads.get().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

export const watchUploads = uploads.watch;
export const useUploads = uploads.use;

/** Undefined when it was cleared. */
export const findUpload = (id: number): Upload | undefined => uploads.get().find((upload) => upload.id === id);

/** Uploads files, each under a free name; returns their ids in order. */
export function upload(folder: string, files: Iterable<globalThis.File>): number[] {
  const added = [...files].map(
    (file) => ({ id: ++lastId, file, folder, state: "waiting", progress: 0, note: "" }) as const,
  );
  uploads.set([...uploads.get(), ...added]);
  sendNext();
  return added.map(({ id }) => id);
}

export function cancel(id: number): void {
  sending.get(id)?.abort();
  change(id, cancelled);
}

export function retry(id: number): void {
  change(id, { state: "waiting", progress: 0, note: "" });
  sendNext();
}

/** Removes all finished uploads from the list. */
export const clearUploads = (): void =>
  uploads.set(uploads.get().filter(({ state }) => state === "waiting" || state === "sending"));

addEventListener("beforeunload", (event) => {
  if (sending.size > 0) event.preventDefault();
});

function sendNext(): void {
  for (const waiting of uploads.get().filter(({ state }) => state === "waiting")) {
    if (sending.size >= atOnce) return;
    void send(waiting);
  }
}

async function send({ id, file, folder }: Upload): Promise<void> {
  const abort = new AbortController();
  sending.set(id, abort);
  change(id, { state: "sending" });
  const part = await store(id, folder, file, abort.signal).catch((error: unknown) =>
    abort.signal.aborted ? cancelled : failed(error),
  );
  sending.delete(id);
  change(id, part);
  sendNext();
  if (part.state === "done") void refresh("files", "folders");
}

/** A taken name gets a number: an upload from this page never replaces a file. */
async function store(id: number, folder: string, file: Blob, signal: AbortSignal): Promise<Partial<Upload>> {
  const stored = await octavo.files.upload(folder, file, {
    onConflict: "suffix",
    signal,
    onProgress: ({ loaded, total }) => change(id, { progress: total > 0 ? loaded / total : 0 }),
  });
  return { state: "done", progress: 1, note: stored.filename, path: pathOf(stored) };
}

const cancelled = { state: "cancelled", note: "Cancelled" } as const;

const failed = (error: unknown): Partial<Upload> => {
  const isBroken = error instanceof OctavoConnectionError && error.status === undefined;
  return { state: "failed", note: isBroken ? "The connection was lost" : inMebibytes(messageOf(error)) };
};

/** The size limit of uploads is set in powers of two, but a refusal names it in bytes. */
const inMebibytes = (message: string): string =>
  message.replace(/\b(\d{6,}) bytes\b/g, (_, bytes) => `${Number((bytes / 2 ** 20).toFixed(1))} MiB`);
