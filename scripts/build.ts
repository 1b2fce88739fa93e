/**
 * Builds the admin page and the API reference if they are older than their sources; always with --force. Runs before
 * `npm start`, `npm run dev` and the tests, so that a fresh clone needs no further command.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url).pathname;

type Part = {
  name: string;
  /** The command and its folder; it writes to `dist` there. */
  folder: string;
  program: string[];
  /** Its sources, besides the packages. */
  sources: string[];
  /** A package that the build needs. */
  needs: string;
};

const parts: Part[] = [
  {
    name: "admin page",
    folder: "admin",
    program: ["../node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"],
    sources: [
      "admin/{src/**/*,index.html,package.json,vite.config.ts,tsconfig.json}",
      "client/src/*",
      "src/{type/path,entry/field,core/path,core/problem}.ts",
    ],
    needs: "vite",
  },
  {
    name: "API reference",
    folder: "api-docs",
    program: ["build.ts"],
    sources: [
      ...["api-docs/*.ts", "src/**/*.{ts,sql}", "assets/docs/*", "package.json"],
      ...["README.md", "client/README.md", "docs/{*.md,examples.json,images/*,screenshots/*}"],
    ],
    needs: "marked",
  },
];

/** A hash of all inputs of a part: sources by their bytes, without tests; packages by the lock file. */
function sourceHash({ sources }: Part): string {
  const names = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  const hash = createHash("sha256");
  for (const name of [...names, `${root}package-lock.json`])
    hash.update(`${name.slice(root.length)}\n`).update(readFileSync(name));
  return hash.digest("hex");
}

function build(part: Part): void {
  const { name, folder, program, needs } = part;
  const stampFile = `${root}${folder}/dist/built-from`;
  const wanted = sourceHash(part);
  const isFresh = existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted;
  if (isFresh && !process.argv.includes("--force")) return;
  if (!existsSync(`${root}node_modules/${needs}`)) {
    process.stderr.write(`The ${name} is not built: its packages are missing. npm ci installs them.\n`);
    return;
  }
  const startedMs = performance.now();
  const { status } = spawnSync(process.execPath, program, { cwd: `${root}${folder}`, stdio: "inherit" });
  if (status !== 0) process.exit(1);
  writeFileSync(stampFile, wanted);
  process.stdout.write(`Built the ${name} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`);
}

for (const part of parts) build(part);
