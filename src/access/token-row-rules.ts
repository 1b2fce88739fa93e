import {
  checkScope,
  checkTokenTexts,
  formatTokenPaths,
  parseTokenPaths,
  readTokenPaths,
  type TokenKind,
  type TokenResource,
  type TokenWrites,
  tokenKinds,
  tokenStates,
  tokenWrites,
} from "../core/access/token.ts";
import { isBlobHash } from "../core/bytes/blob.ts";
import {
  actor,
  added,
  type BackupRow,
  count,
  id,
  matching,
  oneOf,
  orNull,
  refused,
  secret,
  size,
  text,
  time,
} from "../core/row-column.ts";
import { isLocales, readLocales } from "../translation/locale.ts";

/** The rules of a token's row: what no request creates is refused. See core/row.ts. */

export const tokenRule = {
  noun: "token",
  columns: {
    hash: secret(isBlobHash, "a SHA-256 in hex"),
    id,
    kind: oneOf(tokenKinds),
    resources: text,
    label: text,
    environment: text,
    state: oneOf(tokenStates),
    limit_calls: size,
    calls: count,
    expires_at: orNull(time),
    created_at: time,
    last_used_at: orNull(time),
    paths: added(text, () => ""),
    writes: added(oneOf(tokenWrites), () => "all"),
    maker: added(orNull(actor), () => null),
    release: added(orNull(id), () => null),
    locales: added(matching(isLocales, "language tags with commas, each once"), () => ""),
  },
  whole: checkTokenRow,
  key: (row: BackupRow) => row.id,
};

/** Validates the columns together. Throws as newToken does. */
function checkTokenRow(row: BackupRow): void {
  const resources = String(row.resources).split(",").filter(Boolean) as TokenResource[];
  const paths = readTokenPaths(String(row.paths));
  checkTokenTexts({ label: String(row.label), environment: String(row.environment) });
  const locales = readLocales(String(row.locales));
  checkScope({ kind: row.kind as TokenKind, resources, paths, writes: row.writes as TokenWrites, locales });
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
