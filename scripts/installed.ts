/**
 * `npm run test:package`: makes both packages, installs them into an empty folder as docs/operations.md says, and runs the
 * given command with them in place of the checkout. The tests find the installed `octavo` in OCTAVO_TEST_PROGRAM and the
 * client in OCTAVO_TEST_CLIENT:
 *
 *   node scripts/installed.ts command…
 *
 * It finds what the checkout hides: a file that is not packed, a dependency that only development has.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../", import.meta.url).pathname;

/** The files of the packages, relative to the checkout: the service's, the client's. */
export function makePackages(): [octavo: string, client: string] {
  const printed = execFileSync("npm", ["run", "--silent", "package"], { cwd: root, encoding: "utf8" });
  const [octavo = "", client = ""] = printed.trim().split("\n").slice(-2);
  return [octavo, client];
}

/** Installs a package's file, with its dependencies out of npm's cache if `npm ci` has filled it. */
export function install(file: string, folder: string): void {
  const words = ["--prefix", folder, "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...words, `./${file}`], { cwd: root, stdio: "pipe" });
}

/** Where they are, once they are installed in a folder. */
export const programIn = (folder: string): string => join(folder, "node_modules/octavo/octavo.cjs");
const clientIn = (folder: string): string => join(folder, "node_modules/@octavo/client");

if (import.meta.main) {
  const [program, ...words] = process.argv.slice(2);
  if (!program) {
    console.error("usage: node scripts/installed.ts COMMAND…; expected a command to run with the installed packages");
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "octavo-installed-"));
  try {
    for (const file of makePackages()) install(file, folder);
    const env = { ...process.env, OCTAVO_TEST_PROGRAM: programIn(folder), OCTAVO_TEST_CLIENT: clientIn(folder) };
    process.exitCode = spawnSync(program, words, { cwd: root, env, stdio: "inherit" }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
