import { noun } from "../noun.ts";
import { rowTable } from "../rows.ts";

/** What the store keeps about itself, by name. Every new store has all of these rows. */
export const stateNoun = noun({
  rows: [rowTable("state", "name", { table: "store_state", isFilled: "FALSE" })],
  relations: [
    {
      query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM store_state WHERE name = 'signing_key')",
      says: () => "There is no signing key in the store's state",
    },
  ],
});
