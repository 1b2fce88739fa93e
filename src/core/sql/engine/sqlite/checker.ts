/**
 * A process that reads the folder's database file and prints its findings as JSON: `quick_check` and `integrity_check`
 * print sentences about what is wrong with the file, `clock NOW` compares its times with a clock. Not a thread: SQLite
 * cannot be interrupted there, so a stop of the service would wait for it, and its memory would stay allocated.
 * Decision 20.
 */
import { clockFacts } from "../../event.ts";
import { fileFaults, Sqlite } from "./connection.ts";

const [folder = "", question, now] = process.argv.slice(2);
const options = { folder, busyTimeoutMs: 5000 };
const found =
  question === "clock"
    ? await clockFacts(new Sqlite(options, "read"), Number(now))
    : fileFaults(options, question === "quick_check" ? question : "integrity_check");
process.stdout.write(JSON.stringify(found));
