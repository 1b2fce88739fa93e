import { schemaInvalid } from "./type-walk.ts";

/** The compiled form of a schema: what of it applies to the same value. */

export type Ast = Readonly<Record<string, [keywordId: string, url: string, value: unknown][] | boolean>>;

/** The validator's id of a keyword. */
export const id = (name: string): string => `https://json-schema.org/keyword/${name}`;

/** Keywords that apply subschemas to the same value, and where their compiled form has them. */
const inPlace: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  [id("ref")]: (value) => [value as string],
  [id("draft-2020-12/dynamicRef")]: (value) => [(value as string[])[2] as string],
  [id("allOf")]: (value) => value as string[],
  [id("anyOf")]: (value) => value as string[],
  [id("oneOf")]: (value) => value as string[],
  [id("not")]: (value) => [value as string],
  [id("if")]: (value) => [value as string],
  [id("then")]: (value) => value as string[],
  [id("else")]: (value) => value as string[],
  [id("dependentSchemas")]: (value) => (value as [string, string][]).map(([, url]) => url),
};

/** The keywords of a subschema; none of `true` and `false`. */
export const keywordsOf = (ast: Ast, url: string) => {
  const node = ast[url];
  return Array.isArray(node) ? node : [];
};

/** The subschemas that apply to the same value as this one. */
export const edges = (ast: Ast, url: string): string[] =>
  keywordsOf(ast, url).flatMap(([keywordId, , value]) => inPlace[keywordId]?.(value) ?? []);

/** A reference that leads back to itself before it looks at a part of the value never ends. */
export function refuseCycle(ast: Ast): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (url: string): void => {
    if (done.has(url)) return;
    if (open.has(url))
      throw schemaInvalid(decodeURIComponent(url.split("#")[1] ?? ""), "it refers to itself in a circle");
    open.add(url);
    for (const next of edges(ast, url)) visit(next);
    open.delete(url);
    done.add(url);
  };
  for (const url of Object.keys(ast)) if (url !== "metaData" && url !== "plugins") visit(url);
}

/** True when a schema that applies to the value itself names this property. */
export function namesProperty(ast: Ast, root: string, name: string): boolean {
  const reached = new Set([root]);
  for (const url of reached) {
    for (const [keywordId, , value] of keywordsOf(ast, url)) {
      if (keywordId === id("properties") && (value as Map<string, string>).has(name)) return true;
      if (keywordId === id("required") && (value as string[]).includes(name)) return true;
      if (keywordId === id("dependentRequired") && (value as [string, string[]][]).flat(2).includes(name)) return true;
    }
    for (const next of edges(ast, url)) reached.add(next);
  }
  return false;
}
