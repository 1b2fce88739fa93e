import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { ownOf, valueAt } from "./pointer.ts";

/** References between schemas: `#/$defs/name`, `#anchor`, `/types/id`. Contract, part two, §9. */

/** A schema with the type whose schema it is a part of. */
export type Located = { readonly schema: JsonObject; readonly type: string };

/** The schema of a type by its id; undefined if there is none. */
export type SchemaOf = (type: string) => Json | undefined;

const reference = /^(?:\/types\/([a-z0-9_-]{1,64}))?(?:#(.*))?$/s;

/** What a `$ref` refers to; undefined for one that the form cannot follow. */
export function resolve(to: string, from: string, schemaOf: SchemaOf): Located | undefined {
  const found = reference.exec(to);
  if (!found) return undefined;
  const type = found[1] ?? from;
  const schema = at(schemaOf(type), decode(found[2] ?? ""));
  return isObject(schema) ? { schema, type } : undefined;
}

function at(root: Json | undefined, fragment: string): Json | undefined {
  if (fragment === "" || fragment.startsWith("/")) return valueAt(root, fragment);
  return anchored(root, fragment);
}

/** The schema with an `$anchor`. By hand: a schema may be nested deeper than a stack. */
function anchored(root: Json | undefined, name: string): Json | undefined {
  const left = [root];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (isObject(next) && ownOf(next, "$anchor") === name) return next;
    if (isObject(next)) left.push(...Object.values(next));
    else if (Array.isArray(next)) left.push(...next);
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
