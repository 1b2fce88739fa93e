import { get as getFrom, removeUriSchemePlugin, value as schemaValue } from "@hyperjump/browser";
import { InvalidSchemaError, setMetaSchemaOutputFormat } from "@hyperjump/json-schema/draft-2020-12";
import {
  addKeyword,
  BASIC,
  compile,
  type EvaluationPlugin,
  getKeyword,
  getSchema,
  interpret,
  type Keyword,
  Validation,
  type ValidationContext,
} from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import type { Json } from "../core/lib/json.ts";
import { schemaPattern } from "../core/list/regexp.ts";
import { isPath } from "../core/path.ts";
import { type Fault, isProblem } from "../core/problem.ts";
import { base, collect, type Schemas } from "./collect.ts";
import { unsealed } from "./document.ts";
import { acceptedOf, type Context, FaultList, faultsOf, mayStillCome } from "./fault.ts";
import { type Ast, id, localizedIn, namesIn, refuseCycle } from "./graph.ts";
import { type Marked, Marks } from "./mark.ts";
import { problem } from "./problems.ts";
import { isOneOf } from "./variant.ts";
import { nowhere, schemaInvalid, type Walked } from "./walk.ts";
import { SearchWeights } from "./weight.ts";

/**
 * Schemas, compiled. The validator is @hyperjump/json-schema, which interprets: nothing of a schema runs as code. Here its
 * patterns become RE2, lenient checks leave out some keywords, and each check has a bound of time and depth. It is loaded
 * with the first type (decision 55).
 */

// Nothing is fetched, whatever a schema refers to.
for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat(BASIC);

/** What one check of a value may take. */
const usualCheckMs = 500;
const maxDepth = 500;
const stepsBetweenLooks = 64;

type Run = { isLenient: boolean; faults: readonly Fault[]; steps: number; deadlineMs: number };

/** Compiling validates schemas with the same keywords. */
const noRun: Run = { isLenient: false, faults: [], steps: 0, deadlineMs: Infinity };

/** The check that runs. A check never waits, so there is one at a time. */
let run = noRun;

class TooCostly extends Error {}

// ------------------------------------------------------------------------------------------------------ keywords

const nameOf = (keywordId: string): string => keywordId.slice(keywordId.lastIndexOf("/") + 1);

/** Replaces how a keyword is read, or applied. */
function replace<A>(keywordId: string, part: Partial<Keyword<A, Context>>): void {
  addKeyword({ ...getKeyword<A>(keywordId), ...part } as Keyword<A>);
}

type PatternTest = (text: string) => boolean;

/** The schema was walked, so RE2 takes the pattern. */
function patternOf(source: string): PatternTest {
  const test = schemaPattern(source, (reason) => {
    throw new Error(reason);
  });
  return (text) => {
    step();
    return test(text, run.deadlineMs);
  };
}

type Pattern = { source: string; test: PatternTest };
replace<Pattern>(id("pattern"), {
  compile: async (schema) => {
    const source = schemaValue(schema) as string;
    return { source, test: patternOf(source) };
  },
  interpret: ({ test }, instance) => Instance.typeOf(instance) !== "string" || test(Instance.value(instance)),
});

type Members = [name: string, url: string][];
const compileMap = async (schema: Parameters<Keyword<unknown>["compile"]>[0], ast: object): Promise<Members> => {
  const compiled = (await getKeyword<Record<string, string>>(id("$properties")).compile(
    schema,
    ast as never,
    schema,
  )) as Record<string, string>;
  return Object.entries(compiled);
};

// The library looks names up in an object, where `toString` is always found.
addKeyword({ ...getKeyword(id("properties")), id: id("$properties") });
replace<Map<string, string>>(id("properties"), {
  compile: async (schema, ast) => new Map(await compileMap(schema, ast)),
  interpret: (properties, instance, context) => {
    if (Instance.typeOf(instance) !== "object") return true;
    let isValid = true;
    for (const [nameNode, member] of Instance.entries(instance)) {
      const name = Instance.value<string>(nameNode);
      const url = properties.get(name);
      if (url === undefined) continue;
      if (!apply(url, member, context)) isValid = false;
      evaluated(context).evaluatedProperties?.add(name);
    }
    return isValid;
  },
});

replace<[PatternTest, string][]>(id("patternProperties"), {
  compile: async (schema, ast) =>
    (await compileMap(schema, ast)).map(([source, url]): [PatternTest, string] => [patternOf(source), url]),
  interpret: (patterns, instance, context) => {
    if (Instance.typeOf(instance) !== "object") return true;
    let isValid = true;
    for (const [test, url] of patterns) {
      for (const [nameNode, member] of Instance.entries(instance)) {
        const name = Instance.value<string>(nameNode);
        if (!test(name)) continue;
        if (!apply(url, member, context)) isValid = false;
        evaluated(context).evaluatedProperties?.add(name);
      }
    }
    return isValid;
  },
});

type Additional = { names: ReadonlySet<string>; patterns: PatternTest[]; url: string };
replace<Additional>(id("additionalProperties"), {
  compile: async (schema, ast, parent) => {
    const { properties, patternProperties } = schemaValue(parent) as Record<string, object | undefined>;
    return {
      names: new Set(Object.keys(properties ?? {})),
      patterns: Object.keys(patternProperties ?? {}).map(patternOf),
      url: (await (Validation as unknown as Keyword<string>).compile(schema, ast, parent)) as string,
    };
  },
  interpret: ({ names, patterns, url }, instance, context) => {
    if (Instance.typeOf(instance) !== "object") return true;
    let isValid = true;
    for (const [nameNode, member] of Instance.entries(instance)) {
      const name = Instance.value<string>(nameNode);
      if (names.has(name) || patterns.some((test) => test(name))) continue;
      if (!apply(url, member, context)) isValid = false;
      evaluated(context).evaluatedProperties?.add(name);
    }
    return isValid;
  },
});

for (const name of ["enum", "const"]) {
  const { compile: whole } = getKeyword<string | string[]>(id(name));
  replace<string | string[]>(id(name), {
    compile: async (schema, ast, parent) => {
      const texts = await whole(schema, ast, parent);
      return Array.isArray(texts) ? texts.map(unsealed) : unsealed(texts);
    },
  });
}

/** References are checked for form, not existence; every other format is an annotation, as the dialect says. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  entry: (text) => text !== "" && isPath(text),
  file: (text) => text !== "" && isPath(text),
};
replace<string>("https://json-schema.org/keyword/draft-2020-12/format", {
  compile: async (schema) => String(schemaValue(schema)),
  interpret: (format, instance) =>
    Instance.typeOf(instance) !== "string" ||
    !Object.hasOwn(formats, format) ||
    (formats[format]?.(Instance.value(instance)) ?? true),
});

for (const name of mayStillCome) {
  if (name === "contains") continue;
  const { interpret: whole } = getKeyword<unknown>(id(name));
  replace<unknown>(id(name), {
    interpret: (value, instance, context) => context.isLenient === true || whole(value, instance, context),
  });
}

type Contains = { contains: string; minContains: number; maxContains: number };
const { interpret: contains } = getKeyword<Contains>(id("contains"));
replace<Contains>(id("contains"), {
  // Too many items are wrong in a draft too. Its items are checked whole: otherwise more would match.
  interpret: (value, instance, context) =>
    context.isLenient
      ? contains({ ...value, minContains: 0 }, instance, { ...context, isLenient: false } as Context)
      : contains(value, instance, context),
});

/** Below these a schema is checked whole: without a keyword more could match, or less. */
const exact: ReadonlySet<string> = new Set(["not", "if"].map(id));

replace<string[]>(id("oneOf"), { interpret: (urls, instance, context) => isOneOf(urls, instance, context, apply) });

/** Keywords whose work grows with the schema or with the data below one value. */
const costly: ReadonlySet<string> = new Set(["enum", "const", "uniqueItems", "required", "dependentRequired"].map(id));

// The library looks at `if` again for `then` and `else`, as leniently as these are checked.
for (const [name, applies] of [
  ["then", true],
  ["else", false],
] as const) {
  replace<[condition: string, schema: string] | []>(id(name), {
    interpret: ([condition, schema], instance, context) => {
      if (condition === undefined || schema === undefined) return true;
      const exactly = { ...context, isLenient: false, faults: undefined };
      return apply(condition, instance, exactly) !== applies || apply(schema, instance, context);
    },
  });
}

/** Keywords whose faults are those of the subschemas that they apply. */
const transparent: ReadonlySet<string> = new Set(
  [
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "allOf",
    "oneOf",
    "ref",
    "then",
    "else",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "draft-2020-12/dynamicRef",
  ].map(id),
);

type Evaluated = { evaluatedProperties?: Set<string> };
const evaluated = (context: ValidationContext): Evaluated => context as Evaluated;

const apply = (url: string, instance: Instance.JsonNode, context: ValidationContext): boolean =>
  (Validation as unknown as Keyword<string>).interpret(url, instance, context);

function step(): void {
  if (++run.steps % stepsBetweenLooks === 0) look();
}

function look(): void {
  if (performance.now() > run.deadlineMs) throw new TooCostly();
}

/** Bounds a check, hands down whether it is lenient, collects faults. */
const checker: EvaluationPlugin<Context> = {
  id: "octavo",
  beforeSchema(_url, _instance, context) {
    context.depth ??= 0;
    context.isLenient ??= context.depth === 0 && run.isLenient;
    if (context.depth > maxDepth) throw new TooCostly();
    step();
  },
  beforeKeyword([keywordId], _instance, context, schemaContext) {
    context.depth = (schemaContext.depth ?? 0) + 1;
    context.isLenient = schemaContext.isLenient === true && !exact.has(keywordId);
  },
  afterKeyword([keywordId, , value], instance, context, isValid, schemaContext) {
    if (costly.has(keywordId)) look();
    if (isValid) return;
    schemaContext.faults ??= new FaultList();
    if (!transparent.has(keywordId)) schemaContext.faults.add(faultsOf(nameOf(keywordId), value, instance));
    else if (context.faults) schemaContext.faults.add(context.faults.faults);
  },
  afterSchema(url, instance, context, isValid) {
    // Several values may be refused under one keyword.
    if (!isValid && context.ast[url] === false) {
      context.faults ??= new FaultList();
      context.faults.add([falseFault(url, instance)]);
    }
    if (context.depth === 0) run.faults = context.faults?.faults ?? [];
  },
};

/** What the schema `false` refuses: named after the keyword that has it. */
function falseFault(url: string, instance: Instance.JsonNode): Fault {
  const last = decodeURIComponent(url.slice(url.lastIndexOf("/") + 1));
  const isKeyword =
    /(?<!\/(?:properties|patternProperties|\$defs|dependentSchemas))\/(?:additionalProperties|unevaluatedProperties|unevaluatedItems|items)$/.test(
      url,
    );
  const rule = isKeyword ? last : "false";
  const { pointer } = instance;
  return { pointer, rule, message: `"${pointer}" is not accepted here`, accepted: acceptedOf(rule, false) };
}

// ------------------------------------------------------------------------------------------------------ compiling

/** A schema that values are checked with. */
export type CompiledSchema = {
  /** All faults of a value, at most some thousands. Throws type_too_costly. */
  check(value: unknown, isLenient: boolean): readonly Fault[];
  /** The places of a value that the schema marks. Throws type_too_costly. */
  marked(value: Json): readonly Marked[];
  /** The members of the value itself that the schema names, with the first place of each: a JSON pointer. */
  readonly names: ReadonlyMap<string, string>;
  /** Those that each locale may have its own values of. */
  readonly localized: ReturnType<typeof localizedIn>;
  /** What its texts weigh in a search. */
  readonly search: SearchWeights;
};

/**
 * Compiles the schema of a type with those that it refers to; a check of a value may take `maxCheckMs`. Rejects with
 * schema_invalid, which names the place in this schema.
 */
export async function compileSchema(
  type: string,
  schemas: Schemas,
  maxCheckMs = usualCheckMs,
): Promise<CompiledSchema> {
  const { walked, documents } = await collect(type, schemas);
  const browser = { _cache: documents } as unknown as Parameters<typeof getSchema>[1];
  const root = await getSchema(`${base}${type}`, browser);
  try {
    const compiled = await compile(root);
    const ast = compiled.ast as unknown as Ast;
    refuseCycle(ast);
    compiled.ast.plugins.add(checker as EvaluationPlugin);
    const bounded = <T>(isLenient: boolean, work: () => T): T => {
      run = { isLenient, faults: [], steps: 0, deadlineMs: performance.now() + maxCheckMs };
      try {
        return work();
      } catch (error) {
        if (error instanceof TooCostly || isProblem(error, "filter_too_costly"))
          throw problem("type_too_costly", { type });
        throw error;
      } finally {
        run = noRun;
      }
    };
    const marks = new Marks(ast, compiled.schemaUri, step);
    return {
      check: (value, isLenient) =>
        bounded(isLenient, () => (interpret(compiled, Instance.fromJs(value as never)).valid ? [] : run.faults)),
      marked: (value) => bounded(false, () => marks.of(value)),
      names: namesIn(ast, compiled.schemaUri),
      localized: localizedIn(ast, compiled.schemaUri),
      search: new SearchWeights(ast, compiled.schemaUri),
    };
  } catch (error) {
    throw invalid(error) ?? schemaInvalid(await lostReference(root, walked), nowhere);
  }
}

/** The place of the first reference that leads nowhere; the whole schema where none is found. */
async function lostReference(root: Awaited<ReturnType<typeof getSchema>>, { references }: Walked): Promise<string> {
  for (const { pointer, to } of references) {
    try {
      const found = schemaValue(await getFrom(to, { ...root }));
      if (typeof found !== "object" && typeof found !== "boolean") return pointer;
    } catch {
      return pointer;
    }
  }
  return "";
}

/** What the validator says about a place of the schema; undefined for a failure that names none. */
function invalid(error: unknown): unknown {
  if (isProblem(error, "schema_invalid")) return error;
  if (!(error instanceof InvalidSchemaError)) return undefined;
  const found = (error.output as { errors?: { keyword: string; instanceLocation: string }[] }).errors?.at(0);
  const pointer = decodeURIComponent(found?.instanceLocation.split("#")[1] ?? "");
  return schemaInvalid(pointer, `the dialect does not accept it there (${nameOf(found?.keyword ?? "/schema")})`);
}
