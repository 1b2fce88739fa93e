import { existsSync } from "node:fs";
import { clockFinding } from "../../../clock.ts";
import { type Finding, findingsOf } from "../../../finding.ts";
import { clockFacts } from "../../event.ts";
import { type MoreFindings, schemaAdvice } from "../../migration.ts";
import { holdsBlobs, isMissing } from "../../new-store.ts";
import { numberIn } from "../../sql.ts";
import { databaseBytes, databaseFile, ownSqliteAdvice, Sqlite, type SqliteOptions } from "./connection.ts";

/** What `octavo doctor` says about the database file. Opens it for reading, and neither makes nor migrates it. */

const { ok, warning, fault } = findingsOf("database");

export async function sqliteFindings(
  options: SqliteOptions,
  blobFolder: string,
  nowSeconds: number,
  more: MoreFindings = async () => [],
): Promise<Finding[]> {
  const file = databaseFile(options.folder);
  const advice = ownSqliteAdvice();
  if (advice !== undefined) return [fault(advice)];
  if (isMissing(file)) return [missing(file, blobFolder)];
  if (existsSync(`${file}-damaged`)) {
    return [fault(`${file} was found damaged: octavo verify lists the damage, docs/operations.md has the steps`)];
  }
  try {
    const sqlite = new Sqlite(options, "read");
    try {
      const found = await openFindings(sqlite, options.folder, nowSeconds);
      return hasSchema(sqlite) ? [...found, ...(await more(sqlite))] : found;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    const { errstr, message } = error as Error & { errstr?: string };
    return [
      fault(`${file} cannot be read (${errstr ?? message}): octavo verify says more, docs/operations.md what to do`),
    ];
  }
}

const hasSchema = (sqlite: Sqlite): boolean => schemaAdvice(numberIn(sqlite.row("PRAGMA user_version"))) === undefined;

function missing(file: string, blobFolder: string): Finding {
  if (!holdsBlobs(blobFolder)) return ok(`${file} is not there yet: the first start makes it`);
  return fault(
    `${file} is missing beside the bytes of files in ${blobFolder}: mount the right disk, put the file back, or fill ` +
      "a new one with octavo restore FILE",
  );
}

async function openFindings(sqlite: Sqlite, folder: string, nowSeconds: number): Promise<Finding[]> {
  const schema = numberIn(sqlite.row("PRAGMA user_version"));
  const [journal] = sqlite.row("PRAGMA journal_mode") as [string];
  const [version] = sqlite.row("SELECT sqlite_version()") as [string];
  const found: Finding[] = [];
  const advice = schemaAdvice(schema);
  if (advice) found.push({ check: "database", ...advice });
  if (journal !== "wal") found.push(warning(`its journal is ${journal}: the next start sets it to wal`));
  if (found.length === 0) {
    const megabytes = (databaseBytes(folder) / 1024 ** 2).toFixed(1);
    found.push(ok(`SQLite ${version}, schema ${schema}, journal wal, ${megabytes} MiB`));
  }
  // A database without a schema has no log.
  return schema > 0 ? [...found, clockFinding(await clockFacts(sqlite, nowSeconds))] : found;
}
