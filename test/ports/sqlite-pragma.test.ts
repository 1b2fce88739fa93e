import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";

/** Durable commits and foreign keys are set on each connection: SQLite does not store these settings. */

type Connection = { by: string; text: string; pragmas: Record<string, string | number> };

test("every connection of every thread syncs each commit, enforces foreign keys and has a busy timeout", () => {
  const folder = temporaryFolder();
  const file = join(folder, "pragmas.jsonl");
  const fixture = (name: string): string => join(import.meta.dirname, "../fixtures", name);
  execFileSync(process.execPath, ["--import", fixture("watch-pragmas.ts"), fixture("open-connections.ts"), folder], {
    env: { ...process.env, OCTAVO_TEST_PRAGMAS: file },
  });
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const connections = lines.map((line) => JSON.parse(line) as Connection);
  // Migration and transactions, a snapshot, the connection of point reads, the threads of writes and scans.
  const opened = connections.map(({ by, text }) => `${by}: ${text.split(/[ \n]/, 1)}`);
  for (const one of ["main: BEGIN", "main: SELECT", "reader: BEGIN", "writer: BEGIN"]) {
    assert.ok(opened.includes(one), `${one} is not among ${opened.join(", ")}`);
  }
  assert.ok(opened.filter((one) => one === "main: BEGIN").length >= 3, opened.join());
  for (const { by, text, pragmas } of connections) {
    // 2 is FULL: a COMMIT returns when the log is on the disk. NORMAL would lose the last commits in a power loss.
    const expected = { journal_mode: "wal", synchronous: 2, foreign_keys: 1, busy_timeout: 5000 };
    // A writer waits for the lock by itself, in shorter sleeps than SQLite's, and for as long: `Sqlite.begin`.
    if (text === "BEGIN IMMEDIATE") expected.busy_timeout = 0;
    assert.deepEqual(pragmas, expected, `${by}: ${text}`);
  }
});
