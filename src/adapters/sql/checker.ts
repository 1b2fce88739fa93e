/**
 * A process that reads the whole database file of the folder and prints what is wrong with it, a JSON list of sentences.
 * `checker.ts FOLDER quick_check|integrity_check`. Not a thread: SQLite cannot be interrupted there, and a stop of the
 * service would wait for it. Decision 19.
 */
import { fileFaults } from "./sqlite.ts";

const [folder = "", check] = process.argv.slice(2);
const faults = fileFaults({ folder, busyTimeoutMs: 5000 }, check === "quick_check" ? check : "integrity_check");
process.stdout.write(JSON.stringify(faults));
