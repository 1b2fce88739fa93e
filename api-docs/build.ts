import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "../src/app.ts";
import { anyAddress } from "../src/core/http/html.ts";
import { searchFile } from "../src/page/docs-routes.ts";
import { readSettings } from "../src/settings.ts";
import { type ApiRoute, describeRoute } from "./api.ts";
import { Contents } from "./contents.ts";
import { openApi } from "./openapi.ts";
import { pictureFolders } from "./page.ts";

/**
 * Builds api-docs/dist, which src/page/docs-routes.ts serves: the OpenAPI description and all pages below /docs. The
 * routes depend on one setting, `uploads_private`: `open/` has all files, `private/` those that differ with it. Started
 * by scripts/build.ts.
 */

const root = new URL("../", import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };

type Files = Map<string, string | Buffer>;

/** The API's routes with their reference texts, from a service on an empty store. */
export async function readApi(flags: Record<string, string> = {}): Promise<ApiRoute[]> {
  const data = mkdtempSync(join(tmpdir(), "octavo-reference-"));
  try {
    const app = await build(
      readSettings({ flags: { port: "0", log: "off", data, locales: "en,de", ...flags }, env: {}, file: undefined }),
    );
    await app.close();
    return app.api.map(describeRoute);
  } finally {
    rmSync(data, { recursive: true });
  }
}

/** The OpenAPI description as JSON, with a placeholder for the service's address. */
export const openApiText = (api: readonly ApiRoute[]): string => JSON.stringify(openApi(api, version, anyAddress));

function filesOf(api: readonly ApiRoute[]): Files {
  const { pages, sections } = new Contents(api).pages(anyAddress);
  return new Map([
    ["api/openapi.json", openApiText(api)],
    [searchFile, JSON.stringify(sections)],
    ...[...pages].map(([url, text]) => [`${url.slice(1)}.html`, text] as const),
  ]);
}

/** The page that tries a call. The URL of its script has a hash, so browsers cache it forever. */
function tryFiles(): Files {
  const read = (name: string) => readFileSync(`${root}assets/docs/${name}`);
  const script = read("try.js");
  const version = createHash("sha256").update(script).digest("hex").slice(0, 16);
  const page = read("try.html").toString().replace("octavo-script", `/docs/try.js?v=${version}`);
  return new Map<string, string | Buffer>([
    ["docs/try.html", page],
    ["docs/try.js", script],
    ["docs/page.css", read("page.css")],
    ["docs/mark.svg", read("mark.svg")],
  ]);
}

function write(folder: string, files: Files): void {
  for (const [name, content] of files) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Rebuilds the folder; a running service reads it as soon as `built-from` is written. */
async function buildReference(): Promise<void> {
  const [open, shut] = [filesOf(await readApi()), filesOf(await readApi({ "uploads-private": "on" }))];
  const made = `${root}api-docs/dist.new`;
  rmSync(made, { recursive: true, force: true });
  write(`${made}/open`, new Map([...open, ...tryFiles()]));
  // See Docs.search.
  shut.delete(searchFile);
  write(`${made}/private`, new Map([...shut].filter(([name, text]) => open.get(name) !== text)));
  for (const name of pictureFolders) cpSync(`${root}docs/${name}`, `${made}/open/docs/${name}`, { recursive: true });
  rmSync(`${root}api-docs/dist`, { recursive: true, force: true });
  renameSync(made, `${root}api-docs/dist`);
}

if (import.meta.main) await buildReference();
