/**
 * Builds the admin page when it is older than what it is made of; always with --force. Before `npm start`, `npm run dev`
 * and the tests, so that a fresh clone needs no further command.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url).pathname;
const stampFile = `${root}admin/dist/built-from`;
const vite = `${root}node_modules/vite/bin/vite.js`;

/** A hash of all that goes into the build: sources by their bytes, packages by the lock file. */
function sourceHash(): string {
  const sources = ["admin/{src/**/*,index.html,package.json,vite.config.ts,tsconfig.json}", "client/src/*"];
  const names = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  const hash = createHash("sha256");
  for (const name of [...names, `${root}package-lock.json`])
    hash.update(`${name.slice(root.length)}\n`).update(readFileSync(name));
  return hash.digest("hex");
}

function build(): void {
  const wanted = sourceHash();
  const isFresh = existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted;
  if (isFresh && !process.argv.includes("--force")) return;
  if (!existsSync(vite)) {
    process.stderr.write("The admin page is not built: its packages are missing. npm ci brings them.\n");
    return;
  }
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: `${root}admin`,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
  writeFileSync(stampFile, wanted);
  process.stdout.write(`Built the admin page in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`);
}

build();
