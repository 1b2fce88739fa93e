import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { migrate, Sqlite } from "../../src/adapters/sql/engine/sqlite/connection.ts";
import { eachNoun, rowTables } from "../../src/adapters/sql/nouns.ts";
import { rowNouns } from "../../src/domain/backup/backup.ts";
import { sqliteOptions } from "../ports/sqlite-options.ts";

/** Compares the list of nouns (src/adapters/sql/nouns.ts) with the schema, the backup, verify and the folders. Decision 33. */

const root = new URL("../../", import.meta.url).pathname;

/** Tables that are not in backups, with the reason. */
const notKept: Record<string, string> = {
  parent: "a restore recomputes the numbers of parents",
  field_key: "a restore rebuilds the field index",
  entry_field: "a restore rebuilds the field index",
  entry_gram: "a restore rebuilds the text index",
  entry_text: "the state of the text index",
  file_field: "a restore rebuilds the field index",
  event_position: "the positions of this machine's followers in the event log",
  session: "decision 23",
  placeholder: "they are made again from the bytes",
  presence: "who has an entry open holds for seconds",
  transfer: "the bytes of uploads that are no files yet are not kept, either",
  idempotency_key: "results for repetitions, for a day",
  passkey_challenge: "challenges hold for five minutes",
  webhook_attempt: "attempts are about this machine and its network",
  person_link: "one-use links are for their time; an owner makes another one",
};
test("each table of the schema belongs to a noun, or is named here with the reason why backups omit it", (t) => {
  const sqlite = new Sqlite(sqliteOptions(), "write");
  t.after(() => sqlite.close());
  migrate(sqlite);
  const rows = sqlite.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const kept = [...rowTables.values()].map(({ table }) => table);
  assert.deepEqual(rows.map(([name]) => name).sort(), [...kept, ...Object.keys(notKept)].sort());
});

test("verify and the backup have the rows of each noun", () => {
  assert.deepEqual([...rowTables.keys()].sort(), [...rowNouns, "blob"].sort());
});

test("names of writes and scans are unique across nouns", () => {
  for (const part of ["writes", "scans"] as const) {
    const names = eachNoun.flatMap(([, noun]) => Object.keys(noun[part] ?? {}));
    assert.deepEqual(names, [...new Set(names)]);
  }
});

test("a noun declares options only of its own scans", () => {
  for (const [, { scans = {}, quick = {}, mayLag = {} }] of eachNoun) {
    for (const name of [...Object.keys(quick), ...Object.keys(mayLag)]) assert.ok(Object.hasOwn(scans, name), name);
  }
});

/** Nouns without routes: files use the ledger and placeholders, the state is internal, keys are a header of all writes. */
const withoutRoutes = new Set(["blob", "placeholder", "state", "idempotency"]);

test("each noun is in the list, and exports its port and its routes under its name", () => {
  const app = ["app", "content-routes"].map((name) => readFileSync(`${root}src/${name}.ts`, "utf8")).join("\n");
  const list = readFileSync(`${root}src/adapters/sql/nouns.ts`, "utf8");
  const names = globSync("src/adapters/sql/noun/*.ts", { cwd: root })
    .filter((file) => /^export const \w+Noun = noun\(/m.test(readFileSync(root + file, "utf8")))
    .map((file) => basename(file, ".ts"));
  assert.equal(names.length, eachNoun.length);
  for (const name of names) {
    const capital = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    assert.match(list, new RegExp(`: ${name}Noun,`), `${name} is not in nouns.ts`);
    if (withoutRoutes.has(name)) continue;
    assert.ok(doesExport("domain", `interface ${capital}Store`), `no ${capital}Store in the domain's file ${name}.ts`);
    assert.ok(doesExport("http", `${name}Routes`), `no ${name}Routes in src/http/${name}.ts`);
    assert.match(app, new RegExp(`\\.\\.\\.${name}Routes\\(`), `the routes of ${name} are not served`);

    function doesExport(room: string, what: string): boolean {
      return globSync(`src/${room}/**/${name}.ts`, { cwd: root }).some((file) =>
        new RegExp(`^export (const |function |type )?${what}\\b`, "m").test(readFileSync(root + file, "utf8")),
      );
    }
  }
});
