/** A thread that answers long reads on SQLite. */
import { serveScans } from "../core/sql/engine/sqlite/reader.ts";
import { allNouns } from "../nouns.ts";

serveScans(allNouns);
