import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Call } from "../core/http/call.ts";
import {
  hashedAsset,
  htmlHeaders,
  htmlType,
  namedAsset,
  namingAddress,
  noncePage,
  openRoute,
} from "../core/http/html.ts";
import { type Answer, json, tagOf } from "../core/http/reply.ts";
import type { Route } from "../core/http/route.ts";
import { memo } from "../core/lib/memo.ts";
import { resultsPlace, type Section, searchDocs, toSearched } from "./docs-search-wire.ts";
import { problem } from "./problems.ts";

/** /docs and all below it: the API reference and the guides. */
export const docsRoutes = (docs: Docs): Route[] =>
  ["/docs", "/docs/*"].map((url) => openRoute(url, "The documentation", (call) => docs.answer(call)));

/** What api-docs/build.ts made, by address: `docs/readme.html` is /docs/readme. */
const standardDist = fileURLToPath(new URL("../../api-docs/dist/", import.meta.url));
/** Written last by the build. */
const stamp = "built-from";

type Built = { atMs: number; answers: ReadonlyMap<string, (call: Call) => Answer> };

/** The documentation as ready files: the pages below /docs and the OpenAPI description. Decision 35. */
export class Docs {
  private readonly dist: string;
  private readonly publicUrl: string | undefined;
  /** The folders with the files; where both have one, the later wins. */
  private readonly folders: readonly string[];
  private built: Built | undefined;

  /** With `arePrivate` the files of a service with `uploads_private`. */
  constructor(publicUrl: string | undefined, arePrivate: boolean, dist = standardDist) {
    this.dist = dist;
    this.publicUrl = publicUrl;
    this.folders = arePrivate ? ["open", "private"] : ["open"];
  }

  /** The file at the path, by default that of the call. Throws docs_not_built, route_not_found, host_invalid. */
  answer(call: Call, path = call.url.split("?", 1)[0] as string): Answer {
    const atMs = statSync(join(this.dist, stamp), { throwIfNoEntry: false })?.mtimeMs;
    if (atMs === undefined) throw problem("docs_not_built");
    if (this.built?.atMs !== atMs) this.built = { atMs, answers: this.read() };
    const answer = this.built.answers.get(path);
    if (!answer) throw problem("route_not_found", { method: call.method, path });
    return answer(call);
  }

  /** A file is read when it is first requested. */
  private read(): Built["answers"] {
    const files = this.folders.flatMap((folder) =>
      readdirSync(join(this.dist, folder), { recursive: true, encoding: "utf8" }).map((name) => ({ folder, name })),
    );
    return new Map(
      files.flatMap(({ folder, name }) => {
        const kind = kinds[extname(name)];
        if (!kind) return [];
        if (name === searchPage) return [["/docs/search", this.search()]];
        const answer = memo(() => kind(readFileSync(join(this.dist, folder, name)), this.publicUrl));
        return [[`/${name.replace(/\.html$/, "")}`, (call: Call) => answer()(call)]];
      }),
    );
  }

  /** The same in both folders: a search finds the pages by their open texts. */
  private search(): (call: Call) => Answer {
    const read = (name: string) => readFileSync(join(this.dist, "open", name), "utf8");
    const page = memo(() => read(searchPage));
    const sections = memo(() => (JSON.parse(read(searchFile)) as Section[]).map(toSearched));
    // A function: a text could hold a pattern of `replace`.
    return ({ query }) => docsAnswer(page().replace(resultsPlace, () => searchDocs(sections(), query.get("q"))));
  }
}

/** The page in which the results of a search are shown, and what is searched. */
const searchPage = "docs/search.html";
export const searchFile = "search.json";

/** How a file is sent, by its extension. */
type Kind = (file: Buffer, publicUrl: string | undefined) => (call: Call) => Answer;

const asset =
  (toAnswer: (file: Buffer) => Answer): Kind =>
  (file) => {
    const answer = toAnswer(file);
    return () => answer;
  };
const picture = (type: string): Kind => asset((file) => ({ ...namedAsset(file, type), coded: undefined }));

const kinds: Record<string, Kind> = {
  ".html": (file, publicUrl) => {
    const text = file.toString();
    if (text.includes("octavo-nonce")) return () => noncePage(text, scriptPolicy, htmlHeaders);
    return namingAddress(publicUrl, text, docsAnswer);
  },
  ".json": (file, publicUrl) =>
    namingAddress(publicUrl, file.toString(), (text) =>
      json(text, { cacheControl: "public, max-age=60", tag: tagOf(text), coded: {} }),
    ),
  ".js": asset((file) => hashedAsset(file, "text/javascript; charset=utf-8")),
  ".css": asset((file) => namedAsset(file, "text/css; charset=utf-8")),
  ".svg": asset((file) => namedAsset(file, "image/svg+xml")),
  ".webp": picture("image/webp"),
  ".jpg": picture("image/jpeg"),
};

/** A page with a fixed address, cached for an hour. It runs no script and loads nothing from other hosts. */
const docsAnswer = (text: string): Answer => ({
  ...namedAsset(Buffer.from(text), htmlType),
  headers: ["Content-Security-Policy", policy, ...htmlHeaders],
});
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The page that tries a call. Its script runs by nonce, since uploads share the page's origin. */
const scriptPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
