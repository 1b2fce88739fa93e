import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";

/**
 * Serves the example site beside a running Octavo: its modules with types stripped, the built client, and the page's
 * configuration. A real site would build the first, bundle the second and write the third to a file.
 */

const { OCTAVO_URL: url = "http://127.0.0.1:8080", OCTAVO_TOKEN: token } = process.env;
const port = Number(process.env.PORT ?? 8090);

const types: Record<string, string> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  ts: "text/javascript",
};
const own = new URL("./", import.meta.url);
const client = new URL("../../client/dist/", import.meta.url);

/** The text of a URL of the site, and its type; undefined if there is none. */
async function read(path: string): Promise<{ text: string; type: string } | undefined> {
  if (path === "/config.json") return { text: JSON.stringify({ url, token }), type: "application/json" };
  const [, folder, name = "", extension = ""] =
    /^\/(client\/)?([\w-]+\.(\w+))$/.exec(path === "/" ? "/index.html" : path) ?? [];
  const type = types[extension];
  if (!type || name === "serve.ts") return undefined;
  const text = await readFile(new URL(name, folder ? client : own), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  return { text: extension === "ts" ? stripTypeScriptTypes(text) : text, type };
}

/**
 * What the pages may do: run the modules of the site and its import map, and ask Octavo. A script that came with content
 * would not run, nor would an element load anything from elsewhere.
 */
async function policy(): Promise<string> {
  const [, map = ""] = /<script type="importmap">(.*?)<\/script>/s.exec((await read("/"))?.text ?? "") ?? [];
  const hash = createHash("sha256").update(map).digest("base64");
  const { origin } = new URL(url);
  return [
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'",
    `script-src 'self' 'sha256-${hash}'`,
    `connect-src 'self' ${origin}`,
    `img-src 'self' data: ${origin}`,
  ].join("; ");
}

if (!token) {
  console.error("OCTAVO_TOKEN is missing: a delivery token of the service.");
  process.exit(2);
}
const server = createServer(async (request, response) => {
  const found = await read(new URL(request.url ?? "/", "http://site").pathname);
  if (!found) response.writeHead(404).end("Nothing here");
  else {
    const headers = { "Content-Type": `${found.type}; charset=utf-8`, "Content-Security-Policy": await policy() };
    response.writeHead(200, headers).end(found.text);
  }
});
server.listen(port, "127.0.0.1", () => {
  console.log(`The example answers on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
