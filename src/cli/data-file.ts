import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type Json, JsonError, parseJson } from "../core/lib/json.ts";
import { CommandError, UsageError } from "./command.ts";

/** Files that commands read and write; yaml-file.ts reads YAML. What is refused is told by the name of the file. */

/** The text of a file, which is the argument `argument`. Throws UsageError. */
export function readText(name: string, argument: string): string {
  try {
    return readFileSync(name, "utf8");
  } catch (error) {
    throw new UsageError(`${argument} was "${name}", which cannot be read: ${(error as Error).message}`);
  }
}

export const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Throws UsageError. */
export function jsonIn(text: string, name: string, maxDepth?: number): Json {
  try {
    return parseJson(text, maxDepth);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new UsageError(`${name} is not JSON: ${error.message}`);
  }
}

/** A compiler or a person that reads the file meanwhile gets the old text or the new one. */
export function replaceFile(name: string, text: string): void {
  const part = `${name}.${process.pid}.part`;
  try {
    writeFileSync(part, text);
    renameSync(part, name);
  } catch (error) {
    rmSync(part, { force: true });
    throw new CommandError(`${name} cannot be written: ${(error as Error).message}`);
  }
}
