/** The thread that makes the writes of a process on SQLite. */
import { serveWrites } from "../core/sql/engine/sqlite/writer.ts";
import { allNouns } from "../nouns.ts";

serveWrites(allNouns);
