import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { id } from "../../src/core/row-column.ts";
import { migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { migrationsAfter } from "../../src/core/sql/migration.ts";
import { nounSet } from "../../src/core/sql/noun-set.ts";
import { rowTable } from "../../src/core/sql/rows.ts";
import { stateNoun } from "../../src/core/sql/state.ts";
import { features } from "../../src/features.ts";
import { allNouns } from "../../src/nouns.ts";
import { sqliteOptions } from "../ports/sqlite-options.ts";

/** Compares the list of features (src/features.ts) and its nouns with the schema, the backup, verify and the folders. Decision 33. */

const root = new URL("../../", import.meta.url).pathname;
const sources = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });

/** Tables that are not in backups, with the reason. */
const notKept: Record<string, string> = {
  parent: "a restore recomputes the numbers of parents",
  field_key: "a restore rebuilds the field index",
  entry_field: "a restore rebuilds the field index",
  entry_count: "the database counts what a restore brings",
  entry_gram: "a restore rebuilds the text index",
  entry_text: "the state of the text index",
  file_field: "a restore rebuilds the field index",
  search_document: "the words of a store are indexed anew after a restore",
  search_field: "as search_document",
  search_posting: "as search_document",
  search_state: "as search_document",
  search_stem: "as search_document",
  search_word: "as search_document",
  event_private: "the index of words reads it; one is made anew of what a restore brings",
  event_position: "the positions of this machine's followers in the event log",
  session: "decision 23",
  placeholder: "they are made again from the bytes",
  presence: "who has an entry open holds for seconds",
  transfer: "the bytes of uploads that are no files yet are not kept, either",
  idempotency_key: "results for repetitions, for a day",
  passkey_challenge: "challenges hold for five minutes",
  webhook_attempt: "attempts are about this machine and its network",
  migration: "what migrations replaced is for their undo, for 30 days",
  migration_item: "as migration",
  person_link: "one-use links are for their time; an owner makes another one",
};
test("each table of the schema belongs to a noun, or is named here with the reason why backups omit it", (t) => {
  const sqlite = new Sqlite(sqliteOptions(), "write");
  t.after(() => sqlite.close());
  migrate(sqlite);
  const rows = sqlite.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const kept = [...allNouns.rowTables.values()].map(({ table }) => table);
  assert.deepEqual(rows.map(([name]) => name).sort(), [...kept, ...Object.keys(notKept)].sort());
});

test("verify and the backup have the rows of each noun, in the order of format 3; the bytes make those of blobs", () => {
  const kept = ["state", "folder", "file", "entry", "registry_item", "token", "event", "event_entry"];
  const trash = ["trash_item", "version", "trash_entry", "trash_folder", "trash_file", "release", "working_copy"];
  const order = [...kept, ...trash, "type", "role", "person", "passkey", "view", "webhook"];
  assert.deepEqual([...allNouns.rowRules.keys()].slice(0, order.length), order);
  assert.deepEqual([...allNouns.rowTables.keys()], [...allNouns.rowRules.keys(), "blob"]);
});

test("a noun that no order names is at the end of a backup", () => {
  const label = { noun: "label", columns: { id }, key: () => "" };
  const nouns = { labels: { rows: [rowTable(label, "id")] }, state: stateNoun };
  assert.deepEqual([...nounSet(nouns, ["state"]).rowRules.keys()], ["state", "label"]);
});

test("names of writes and scans are unique across nouns", () => {
  for (const part of ["writes", "scans"] as const) {
    const names = allNouns.each.flatMap(([, noun]) => Object.keys(noun[part] ?? {}));
    assert.deepEqual(names, [...new Set(names)]);
  }
});

test("a noun declares options only of its own scans", () => {
  for (const [, { scans = {}, quick = {}, mayLag = {} }] of allNouns.each) {
    for (const name of [...Object.keys(quick), ...Object.keys(mayLag)]) assert.ok(Object.hasOwn(scans, name), name);
  }
});

/** Nouns without routes: files use the ledger, placeholders and what they say in other locales, the state is internal, the rows of the log are read as events, keys are a header of all writes, verify is a scan. */
const withoutRoutes = new Set(["blob", "placeholder", "fileTranslation", "state", "eventLog", "idempotency", "verify"]);

test("each noun is in the list, and exports its port and its routes under its name", () => {
  const names = sources.flatMap((file) =>
    [...readFileSync(root + file, "utf8").matchAll(/^export const (\w+)Noun = noun\(/gm)].map(
      ([, name]) => name as string,
    ),
  );
  assert.equal(names.length, allNouns.each.length);
  for (const name of names.filter((one) => !withoutRoutes.has(one))) {
    const capital = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    assert.ok(doesExport("", `interface ${capital}Store`), `no file of rules exports ${capital}Store`);
    assert.ok(doesExport("routes", `${name}Routes`), `no file of routes exports ${name}Routes`);

    function doesExport(word: string, what: string): boolean {
      const pattern = new RegExp(`^export (const |function |type )?${what}\\b`, "m");
      return sources.some((file) => file.endsWith(`${word}.ts`) && pattern.test(readFileSync(root + file, "utf8")));
    }
  }
});

test("the numbers of migrations are one sequence over all folders", () => {
  const names = globSync("src/**/*.sql", { cwd: root }).map((file) => file.split("/").at(-1) ?? "");
  const numbers = names.map((name) => /^(\d{4})-[a-z-]+\.sql$/.exec(name)?.[1]).sort();
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => String(i + 1).padStart(4, "0")),
  );
  assert.equal(migrationsAfter(0).length, numbers.length);
});

test("each folder of a feature has its line in the list, under its name", () => {
  const folders = globSync("src/*/feature.ts", { cwd: root }).map((file) => file.split("/")[1]);
  assert.deepEqual(features.map(({ name }) => name).sort(), folders.sort());
});
