import { isPath, type Path, rootPath } from "./path.ts";
import { problem } from "./problem.ts";

/** Cursors of lists that are ordered by paths. */

/** The cursor after this path, in a list that is ordered by paths. */
export const formatPathCursor = (path: Path): string => Buffer.from(path).toString("base64url");

/** The same where a path comes with something else that orders: a place of two parts. */
export const formatPlaceCursor = ({ slug, locale }: PathPlace): string =>
  formatPathCursor((locale === "" ? slug : `${slug}\n${locale}`) as Path);

export type PathPlace = { readonly slug: Path; readonly locale: string };

/** The inverse. Throws cursor_invalid. */
export function parsePlaceCursor(cursor: string): PathPlace {
  const [path = "", locale = ""] = Buffer.from(cursor, "base64url").toString().split("\n", 2);
  return { slug: parsePathCursor(formatPathCursor(path as Path)), locale };
}

/** The inverse: the path after which a page begins. Throws cursor_invalid. */
export function parsePathCursor(cursor: string): Path {
  const path = Buffer.from(cursor, "base64url").toString();
  if (path === rootPath || !isPath(path)) throw problem("cursor_invalid");
  return path;
}
