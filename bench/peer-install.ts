/** Installs what the scenarios compare with, as npm has it, into the system's temporary folder (TMPDIR). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What is measured. */
export const peers = {
  directus: "12.4.0",
  pg: "8.23.1",
  ipx: "3.1.1",
  payload: "3.90.2",
  "@payloadcms/db-sqlite": "3.90.2",
  "@payloadcms/db-postgres": "3.90.2",
  graphql: "16.11.0",
};
/** The version that Directus names has no build for this Node; it runs scripts of flows, which are not measured. */
const overrides = { "isolated-vm": "6.1.2" };

/** Answers their folder; installed once. Runs no scripts of the packages: what they need is prebuilt. */
export function installPeers(dependencies: Record<string, string> = peers, name = "octavo-bench-peers"): string {
  const folder = join(tmpdir(), name);
  const manifest = JSON.stringify({ private: true, dependencies, overrides });
  const [file, stamp] = [join(folder, "package.json"), join(folder, "installed")];
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const flags = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(stamp, manifest);
  return folder;
}
