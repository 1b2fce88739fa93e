import type { ProgressListener } from "./public.ts";
export type Sent = { method: string; headers: Record<string, string>; body: FormData; signal?: AbortSignal };

/** The part of XMLHttpRequest that is used. Declared here, because this also compiles without a browser's types. */
type Xhr = {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
  upload: { onprogress: ProgressListener | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  onloadend: (() => void) | null;
  responseText: string;
  status: number;
};

/** XMLHttpRequest where it exists: fetch does not report the progress of an upload. */
export const progressiveXhr = (): (new () => Xhr) | undefined =>
  (globalThis as unknown as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

/** Sends a form as fetch would, and reports progress. Rejects as fetch does. */
export function sendByXhr(Request: new () => Xhr, url: string, sent: Sent, tell: ProgressListener): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal } = sent;
    const xhr = new Request();
    const abort = () => xhr.abort();
    xhr.open(sent.method, url);
    for (const [name, value] of Object.entries(sent.headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => tell({ loaded, total });
    xhr.onload = () => resolve(new Response(xhr.responseText, { status: xhr.status, headers: headersOf(xhr) }));
    xhr.onerror = () => reject(new TypeError("Failed to send the form"));
    xhr.onabort = () => reject(signal?.reason);
    xhr.onloadend = () => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort);
    xhr.send(sent.body);
  });
}

const headersOf = (xhr: Xhr): Headers =>
  new Headers(
    xhr
      .getAllResponseHeaders()
      .trim()
      .split("\r\n")
      .map((line) => line.split(/: (.*)/, 2) as [string, string]),
  );
