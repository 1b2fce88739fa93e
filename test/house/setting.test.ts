import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { settingRows } from "../../src/settings.ts";

/** Every setting is read by the service: one that nothing reads is accepted, documented and without effect. */

const root = new URL("../../", import.meta.url).pathname;

/** What declares, parses and lists settings, and so names them without an effect. */
const declares = new Set([...globSync("src/**/settings.ts", { cwd: root }), "src/core/lib/setting.ts"]);

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");

const fieldOf = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The fields of settings that a source reads: `settings.port`, and the names of patterns such as `{ port, host: address }`. */
function fieldsRead(source: string): Set<string> {
  const text = withoutComments(source);
  // Patterns without a type have the settings by their context, as in chores.ts; the import says that it can be.
  if (!/import (?:type )?\{[^}]*\bSettings\b|\bsettings\b/.test(text)) return new Set();
  const members = [...text.matchAll(/(?<!\/)\b(?:settings|configured)\??\.(\w+)/g)].map(([, name = ""]) => name);
  const patterns = [...text.matchAll(/\{([\w\s,:]+)\}(?= = (?:this\.|call\.)?settings\b|: Settings\b|, \w+\) =>)/g)];
  const names = patterns.flatMap(([, inner = ""]) => inner.split(",").map((part) => part.split(":")[0]?.trim() ?? ""));
  return new Set([...members, ...names]);
}

test("every setting is read somewhere in src/", () => {
  const all = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const sources = all.filter((file) => !declares.has(file));
  const read = new Set(sources.flatMap((file) => [...fieldsRead(readFileSync(root + file, "utf8"))]));
  assert.deepEqual(
    Object.keys(settingRows).filter((name) => !read.has(fieldOf(name))),
    [],
    "settings that nothing reads",
  );
});

test("a name in a comment, or passed on with all the others, is not a reading", () => {
  const source = `
    import type { Settings } from "./settings.ts";
    // settings.port is of no use here.
    const { host: address, dataFolder } = settings;
    const open = ({ workers }: Settings) => ({ ...settings, log: settings.log, spare: "off" });
  `;
  assert.deepEqual([...fieldsRead(source)].sort(), ["dataFolder", "host", "log", "workers"]);
});
