import { formatJson, type JsonObject } from "../lib/json.ts";
import type { CollectionItem } from "./candidate.ts";
import { type Projection, projectObject } from "./projection.ts";

const name = "preview";
const isOf = (key: string): boolean => key === name || key.startsWith(`${name}.`);

/**
 * The text of a file object with its preview as the last member, in place of a client's field of that name; without it where the
 * projection does not name it. Contract, part three, §17.
 */
export function withPreview(
  item: Pick<CollectionItem, "json" | "preview">,
  object: () => JsonObject,
  projection: Projection = { only: [], except: [] },
): string {
  const { only, except } = projection;
  const isAsked = (only.length === 0 || only.some(isOf)) && !except.includes(name);
  const isWhole = only.length === 0 && except.length === 0 && !object().has(name);
  const rest = { only: only.filter((key) => !isOf(key)), except: [...except, name] };
  const isEmpty = only.length > 0 && rest.only.length === 0;
  const text = isWhole ? item.json : isEmpty ? "{}" : formatJson(projectObject(object(), rest));
  if (!isAsked || !item.preview) return text;
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}${item.preview()}}`;
}
