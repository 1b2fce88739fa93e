import type { JsonObject } from "../lib/json.ts";
import type { Path } from "./path.ts";

export type CollectionQuery = { path: Path };
export type CollectionAnswer = { json: string; next: string | undefined; total: number | undefined };
export function parseCollection(path: Path, _args: JsonObject): CollectionQuery {
  return { path };
}
