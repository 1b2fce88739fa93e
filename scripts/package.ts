/**
 * `npm run package`: builds the package for installations without this checkout, `dist/octavo-VERSION.tgz`. The service is
 * compiled, since Node does not strip types below node_modules; the admin page is built; no install script runs.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url).pathname;
const made = `${root}dist/package`;
const run = (program: string, words: string[], cwd = root): string =>
  execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Files that the service reads besides its code. */
const shipped = [
  ...[
    "migrations",
    "assets",
    "admin/dist",
    "reference/dist",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "client/README.md",
  ],
  ...globSync("docs/{*.md,images,screenshots,decisions}", { cwd: root }),
];

rmSync(`${root}dist`, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
run(process.execPath, [`${root}scripts/build.ts`]);
run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", "scripts/package.tsconfig.json"]);
for (const name of shipped) cpSync(`${root}${name}`, `${made}/${name}`, { recursive: true });
cpSync(`${root}scripts/octavo.cjs`, `${made}/octavo.cjs`);
chmodSync(`${made}/octavo.cjs`, 0o755);
const { name, version, description, license, type, engines, dependencies } = JSON.parse(
  readFileSync(`${root}package.json`, "utf8"),
);
const manifest = { name, version, description, license, type, engines, bin: { octavo: "octavo.cjs" }, dependencies };
writeFileSync(`${made}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
const [file = ""] = run("npm", ["pack", "--silent", "--pack-destination", ".."], made).trim().split("\n").slice(-1);
process.stdout.write(`dist/${file}\n`);
