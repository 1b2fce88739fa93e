/** How much of an upload is sent, in bytes; the form around the file counts. */
export type Progress = { loaded: number; total: number };
export type ProgressListener = (progress: Progress) => void;
export type Sent = { method: string; headers: Record<string, string>; body: FormData; signal?: AbortSignal };

/** What is used of XMLHttpRequest. Declared here, because this also runs where the types of a browser are not. */
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

/** XMLHttpRequest where there is one: fetch does not tell the progress of an upload. */
export const progressiveXhr = (): (new () => Xhr) | undefined =>
  (globalThis as unknown as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

/** Sends a form as fetch would, and tells how far it is. Rejects as fetch does. */
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
