/** A thread that answers long reads on PostgreSQL. */
import { serveScans } from "../core/sql/engine/postgres/scanner.ts";
import { allNouns } from "../nouns.ts";

serveScans(allNouns);
