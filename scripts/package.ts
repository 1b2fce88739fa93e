/**
 * `npm run package`: makes what can be published, below `dist/`, and prints the two files for `npm install`:
 * - `octavo/` and `octavo-VERSION.tgz`: the service, compiled, since Node does not strip types below node_modules, its
 *   threads bundled, with the built admin page and API reference; no install script runs;
 * - `client/` and `octavo-client-VERSION.tgz`: `@octavo/client`, compiled, with its types.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { bundleInto } from "./threads.ts";

const root = new URL("../", import.meta.url).pathname;
const run = (program: string, words: string[], cwd = root): string =>
  execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const node = (...words: string[]): string => run(process.execPath, words);
const compile = (...words: string[]): string => node(`${root}node_modules/typescript/bin/tsc`, ...words);
const manifestOf = (folder: string) => JSON.parse(readFileSync(`${root}${folder}package.json`, "utf8"));

/** Files that the service reads besides its code. */
const shipped = [
  ...["assets", "admin/dist", "api-docs/dist", "README.md", "CHANGELOG.md", "LICENSE"],
  ...["client/README.md", ...globSync("docs/{*.md,images,screenshots,decisions,changes}", { cwd: root })],
];

/** Copies the files, writes the manifest and packs the folder `dist/NAME`. Returns the file, relative to the checkout. */
function pack(name: string, files: Record<string, string>, manifest: object): string {
  const folder = `${root}dist/${name}`;
  for (const [from, to] of Object.entries(files)) cpSync(`${root}${from}`, `${folder}/${to}`, { recursive: true });
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  const printed = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", ".."], folder);
  return `dist/${printed.trim().split("\n").at(-1)}`;
}

async function packService(): Promise<string> {
  node(`${root}scripts/build.ts`);
  compile("-p", "scripts/package.tsconfig.json");
  await bundleInto(`${root}dist/octavo/dist`);
  for (const file of globSync("src/**/*.sql", { cwd: root }))
    cpSync(`${root}${file}`, `${root}dist/octavo/dist/${file.slice("src/".length)}`);
  cpSync(`${root}scripts/octavo.cjs`, `${root}dist/octavo/octavo.cjs`);
  chmodSync(`${root}dist/octavo/octavo.cjs`, 0o755);
  const { name, version, description, license, type, engines, dependencies } = manifestOf("");
  const files = ["dist", "octavo.cjs", ...shipped];
  const manifest = { name, version, description, license, type, engines, bin: { octavo: "octavo.cjs" }, files };
  const copied = Object.fromEntries(shipped.map((file) => [file, file]));
  return pack("octavo", copied, { ...manifest, dependencies });
}

function packClient(): string {
  compile("-p", "client", "--outDir", "dist/client/dist");
  const { scripts: _, ...manifest } = manifestOf("client/");
  return pack("client", { "client/README.md": "README.md", LICENSE: "LICENSE" }, manifest);
}

rmSync(`${root}dist`, { recursive: true, force: true });
mkdirSync(`${root}dist`);
process.stdout.write(`${await packService()}\n${packClient()}\n`);
