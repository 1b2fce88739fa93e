import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * The database of a store on SQLite, for what a test changes or reads behind the service. It waits for the lock of a
 * service that is writing: without that a statement fails at once, by chance.
 */
export const openDatabase = (data: string, readOnly = false): DatabaseSync =>
  new DatabaseSync(join(data, "octavo.db"), { readOnly, timeout: 30_000 });
