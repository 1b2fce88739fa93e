import { type BackupRow, refused } from "../backup/row-column.ts";
import {
  checkScope,
  checkTokenTexts,
  formatTokenPaths,
  parseTokenPaths,
  readTokenPaths,
  type TokenKind,
  type TokenResource,
  type TokenWrites,
} from "../core/access/token.ts";

/** The rules of a token's row: what no request creates is refused. */

/** Validates the columns together. Throws as newToken does. */
export function checkTokenRow(row: BackupRow): void {
  const resources = String(row.resources).split(",").filter(Boolean) as TokenResource[];
  const paths = readTokenPaths(String(row.paths));
  checkTokenTexts({ label: String(row.label), environment: String(row.environment) });
  checkScope({ kind: row.kind as TokenKind, resources, paths, writes: row.writes as TokenWrites });
  if (row.kind === "preview" && row.expires_at === null)
    throw refused("expires_at", null, "a time for the kind preview");
  if (row.kind !== "preview" && row.maker !== null)
    throw refused("maker", row.maker, `nothing for the kind ${row.kind}`);
  if (row.kind !== "preview" && row.release !== null)
    throw refused("release", row.release, `nothing for the kind ${row.kind}`);
  if ([...new Set(resources)].join() !== row.resources)
    throw refused("resources", row.resources, "names with commas, each once");
  if (formatTokenPaths(parseTokenPaths(paths)) !== row.paths) throw refused("paths", row.paths, "paths, each once");
}
