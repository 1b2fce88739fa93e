/**
 * `npm run release -- check`: whether this checkout can be released as the version of package.json. Prints each reason
 * against it; exit code 0: none, 1: some, 2: another word than `check`. It changes nothing.
 */
import { readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);

/** Reads a file of the checkout by its relative path. */
export type Reading = (file: string) => string;

/** The version at a path of keys of a JSON file: `package-lock.json packages client`. */
const places = [
  "client/package.json",
  "admin/package.json",
  "package-lock.json",
  ...["", "client", "admin"].map((name) => `package-lock.json packages ${name}`),
  "api-docs/dist/open/api/openapi.json info",
];

function versionAt(place: string, read: Reading): string {
  const [file = "", ...keys] = place.split(" ");
  const object = keys.reduce((value, key) => value[key], JSON.parse(read(file)));
  return object.version;
}

/** Places whose version is not that of package.json, with both; empty if they agree. */
export function disagreements(read: Reading): string[] {
  const version = versionAt("package.json", read);
  const faults = places
    .map((place) => [place.trim(), versionAt(place, read)] as const)
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `${place} has the version ${other}; package.json has ${version}`);
  for (const [name, other] of read("docs/operations.md").matchAll(/octavo-(\d+\.\d+\.\d+)\.tgz/g))
    if (other !== version) faults.push(`docs/operations.md names ${name}; package.json has ${version}`);
  return faults;
}

/** What the changelog lacks for a release of the version of package.json: its newest section, with at least one line. */
export function changelogFaults(read: Reading): string[] {
  const version = versionAt("package.json", read);
  const [, ...sections] = read("CHANGELOG.md").split(/^## /m);
  const titles = sections.map((section) => section.split("\n", 1)[0]);
  const [newest = "", body = ""] = [titles[0], sections[0]];
  if (newest !== version) return [`CHANGELOG.md: its newest section is "${newest}"; expected "${version}"`];
  const faults = [];
  if (!/^- \S/m.test(body)) faults.push(`CHANGELOG.md: its section "${version}" has no line`);
  if (titles.lastIndexOf(version) > 0) faults.push(`CHANGELOG.md: it has two sections "${version}"`);
  return faults;
}

function check(): number {
  const read: Reading = (file) => readFileSync(new URL(file, root), "utf8");
  const faults = [...disagreements(read), ...changelogFaults(read)];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length === 0) process.stdout.write(`${versionAt("package.json", read)} can be released.\n`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.main) {
  const isCheck = process.argv.slice(2).join(" ") === "check";
  if (!isCheck) process.stderr.write("usage: npm run release -- check\n");
  process.exitCode = isCheck ? check() : 2;
}
