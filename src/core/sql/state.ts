import { randomBytes } from "node:crypto";
import { type BackupRow, type Column, matching, oneOf, secret, text } from "../row-column.ts";
import { noun } from "./noun.ts";
import { rowTable } from "./rows.ts";
import type { Sql } from "./sql.ts";

const selectKept = "SELECT name, value FROM store_state WHERE name <> 'restored' ORDER BY name";

/** What the store remembers about itself, by name. */
const stateValues: Readonly<Record<string, Column>> = {
  signing_key: secret((key) => /^[0-9a-f]{64}$/.test(key), "64 hex digits"),
  source_locale: matching((tag) => /^[A-Za-z\d]+(-[A-Za-z\d]+)*$/.test(tag), "a language tag"),
  index_keys: matching((keys) => keys === "" || keys.split(",").every((key) => key.trim() !== ""), "keys with commas"),
};

const stateRule = {
  noun: "state",
  columns: { name: oneOf(Object.keys(stateValues)), value: text },
  whole: ({ name, value }: BackupRow) => stateValues[String(name)]?.check("value", value),
  key: ({ name }: BackupRow) => name,
};

/**
 * What the store keeps about itself, by name. Every new store has all of these rows but `source_locale`; `restored` is in no
 * backup.
 */
export const stateNoun = noun({
  rows: [rowTable(stateRule, "name", { table: "store_state", isFilled: "FALSE", select: selectKept })],
  relations: [
    {
      query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM store_state WHERE name = 'signing_key')",
      says: () => "There is no signing key in the store's state",
    },
  ],
});

/** Which log it is: after a restore the next events get numbers that others have in the store it was made of. */
export const restoredLogColumn = "coalesce((SELECT value FROM store_state WHERE name = 'restored'), '')";

/** Begins another log. */
export async function beginLog(sql: Pick<Sql, "run">): Promise<void> {
  await sql.run("DELETE FROM store_state WHERE name = 'restored'");
  await sql.run("INSERT INTO store_state (name, value) VALUES ('restored', ?1)", randomBytes(16).toString("hex"));
}
