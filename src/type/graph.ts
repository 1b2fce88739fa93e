import { localizedKeyword, schemaInvalid, segmentOf } from "./walk.ts";

/** The compiled form of a schema: what of it applies to the same value. */

type Node = readonly [keywordId: string, url: string, value: unknown];
export type Ast = Readonly<Record<string, readonly Node[] | boolean>>;

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

/** The subschemas that a keyword applies to the same value. */
const appliedBy = ([keywordId, , value]: Node): readonly string[] => inPlace[keywordId]?.(value) ?? [];

/** The subschemas that apply to the same value as this one. */
export const edges = (ast: Ast, url: string): string[] => keywordsOf(ast, url).flatMap(appliedBy);

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

/** The members of an object that a keyword names, each with the rest of its place. */
const named: Readonly<Record<string, (value: unknown) => (readonly [name: string, rest: string])[]>> = {
  [id("properties")]: (value) => [...(value as Map<string, string>).keys()].map((name) => [name, segmentOf(name)]),
  [id("required")]: (value) => (value as string[]).map((name) => [name, ""]),
  [id("dependentRequired")]: (value) => (value as [string, string[]][]).flat(2).map((name) => [name, ""]),
  [id("dependentSchemas")]: (value) => (value as [string, string][]).map(([name]) => [name, ""]),
};

/**
 * The members that the schema, or one that applies to the same value, names, with the first place of each: a JSON pointer
 * into this schema. What is named in another one, as that of a type, has the place of the keyword that leads there.
 */
export function namesIn(ast: Ast, root: string): ReadonlyMap<string, string> {
  const [document = ""] = root.split("#");
  const pointerOf = (url: string): string | undefined =>
    url.startsWith(`${document}#`) ? decodeURIComponent(url.slice(document.length + 1)) : undefined;
  const names = new Map<string, string>();
  const reached = new Map([[root, ""]]);
  for (const [url, from] of reached) {
    for (const keyword of keywordsOf(ast, url)) {
      const [keywordId, keywordUrl, value] = keyword;
      const at = pointerOf(keywordUrl);
      for (const [name, rest] of named[keywordId]?.(value) ?? [])
        if (!names.has(name)) names.set(name, at === undefined ? from : at + rest);
      for (const next of appliedBy(keyword)) if (!reached.has(next)) reached.set(next, at ?? from);
    }
  }
  return names;
}

/** Contract, part four, §24. */
export type LocalizedKeys = {
  readonly keys: ReadonlySet<string>;
  /** Those of them that a translation has when it is public. */
  readonly required: ReadonlySet<string>;
};

/**
 * The members of the data itself that the schema, or one that applies to the same value, marks. `fault` is the first place of this
 * schema where the mark has another value, or is not of such a member: a JSON pointer.
 */
export function localizedIn(ast: Ast, root: string): LocalizedKeys & { readonly fault: string | undefined } {
  const members = new Map<string, string>();
  const reached = new Set([root]);
  for (const url of reached) {
    for (const next of edges(ast, url)) reached.add(next);
    for (const [keywordId, , value] of keywordsOf(ast, url))
      if (keywordId === id("properties"))
        for (const [name, member] of value as Map<string, string>) members.set(member, name);
  }
  const keys = new Set<string>();
  const required = new Set<string>();
  const faults: string[] = [];
  const document = `${root.split("#")[0]}#`;
  for (const url of Object.keys(ast)) {
    for (const [keywordId, keywordUrl, value] of keywordsOf(ast, url)) {
      if (keywordId !== id(`unknown#${localizedKeyword}`)) continue;
      const [, mark] = value as [string, unknown];
      const name = members.get(url);
      const isMark = mark === true || mark === "required";
      if (name !== undefined && isMark) {
        keys.add(name);
        if (mark === "required") required.add(name);
        continue;
      }
      const pointer = decodeURIComponent(keywordUrl.slice(document.length));
      // What is under $defs may be there for the schemas of other types.
      const isOwn = keywordUrl.startsWith(document) && !(isMark && pointer.startsWith("/$defs/"));
      if (isOwn) faults.push(pointer);
    }
  }
  return { keys, required, fault: faults[0] };
}
