import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness.ts";

const root = new URL("../../", import.meta.url).pathname;
const tsc = join(root, "node_modules", ".bin", "tsc");

/** An empty project with the packed or installed client and the types of Node; removed after the tests. */
export function projectWithClient(): string {
  const project = temporaryFolder();
  const target = join(project, "node_modules", "@octavo", "client");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  if (process.env.OCTAVO_TEST_CLIENT) cpSync(process.env.OCTAVO_TEST_CLIENT, target, { recursive: true });
  else {
    writeFileSync(join(target, "package.json"), readFileSync(join(root, "client", "package.json")));
    buildClient(join(target, "dist"));
  }
  symlinkSync(join(root, "node_modules", "@types"), join(project, "node_modules", "@types"));
  return project;
}

/** Builds the client into a folder, as its own build script does into client/dist. */
function buildClient(folder: string): void {
  execFileSync(tsc, ["--project", join(root, "client"), "--outDir", folder]);
}

/** Compiler flags of a strict project. */
export const strict =
  "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noEmit --module nodenext --target es2022".split(
    " ",
  );

/** The compiler's output in a folder; empty without errors. */
export function check(folder: string, ...words: string[]): string {
  try {
    return execFileSync(tsc, words, { cwd: folder, encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
