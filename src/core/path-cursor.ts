import { isPath, type Path, rootPath } from "./path.ts";
import { problem } from "./problem.ts";

/** Cursors of lists that are ordered by paths. */

/** The cursor after this path, in a list that is ordered by paths. */
export const formatPathCursor = (path: Path): string => Buffer.from(path).toString("base64url");

/** The inverse: the path after which a page begins. Throws cursor_invalid. */
export function parsePathCursor(cursor: string): Path {
  const path = Buffer.from(cursor, "base64url").toString();
  if (path === rootPath || !isPath(path)) throw problem("cursor_invalid");
  return path;
}
