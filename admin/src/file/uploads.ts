import { useSyncExternalStore } from "react";
import { progressiveXhr, sendByXhr } from "../../../client/src/progress.ts";
import { pathOf } from "../api/file.ts";
import { refusalOf, writeHeaders } from "../api/request.ts";
import { refresh } from "../ui/query.ts";

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

let uploads: readonly Upload[] = [];
let lastId = 0;
const sending = new Map<number, AbortController>();
const listeners = new Set<() => void>();

function publish(changed: readonly Upload[]): void {
  uploads = changed;
  for (const listener of listeners) listener();
}

const change = (id: number, part: Partial<Upload>): void =>
  publish(uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

/** Calls back on each change; returns a function that unsubscribes. */
export function watchUploads(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useUploads = (): readonly Upload[] => useSyncExternalStore(watchUploads, () => uploads);

/** Undefined when it was cleared. */
export const findUpload = (id: number): Upload | undefined => uploads.find((upload) => upload.id === id);

/** Uploads files, each under a free name; returns their ids in order. */
export function upload(folder: string, files: Iterable<globalThis.File>): number[] {
  const added = [...files].map(
    (file) => ({ id: ++lastId, file, folder, state: "waiting", progress: 0, note: "" }) as const,
  );
  publish([...uploads, ...added]);
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
  publish(uploads.filter(({ state }) => state === "waiting" || state === "sending"));

addEventListener("beforeunload", (event) => {
  if (sending.size > 0) event.preventDefault();
});

function sendNext(): void {
  for (const waiting of uploads.filter(({ state }) => state === "waiting")) {
    if (sending.size >= atOnce) return;
    void send(waiting);
  }
}

async function send({ id, file, folder }: Upload): Promise<void> {
  const abort = new AbortController();
  sending.set(id, abort);
  change(id, { state: "sending" });
  const form = { method: "POST", headers: writeHeaders(), body: formOf(folder, file), signal: abort.signal };
  const part = await sendByXhr(progressive, "/api/files", form, ({ loaded, total }) =>
    change(id, { progress: total > 0 ? loaded / total : 0 }),
  ).then(outcome, () => (abort.signal.aborted ? cancelled : broken));
  sending.delete(id);
  change(id, part);
  sendNext();
  if (part.state === "done") void refresh("files", "folders");
}

const cancelled = { state: "cancelled", note: "Cancelled" } as const;
const broken = { state: "failed", note: "The connection was lost" } as const;
/** Every browser has one. */
const progressive = progressiveXhr() as NonNullable<ReturnType<typeof progressiveXhr>>;

async function outcome(reply: Response): Promise<Partial<Upload>> {
  const text = await reply.text();
  if (reply.status !== 200) return { state: "failed", note: inMebibytes(refusalOf(reply.status, text).message) };
  const { data } = JSON.parse(text) as { data: { filename: string; url: string } };
  return { state: "done", progress: 1, note: data.filename, path: pathOf(data) };
}

/** The size limit of uploads is set in powers of two, but a refusal names it in bytes. */
const inMebibytes = (message: string): string =>
  message.replace(/\b(\d{6,}) bytes\b/g, (_, bytes) => `${Number((bytes / 2 ** 20).toFixed(1))} MiB`);

/** A taken name gets a number: an upload from this page never replaces a file. */
function formOf(folder: string, file: globalThis.File): FormData {
  const form = new FormData();
  form.set("folder", folder);
  form.set("on_conflict", "suffix");
  form.set("file", file);
  return form;
}
