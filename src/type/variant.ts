import * as Instance from "@hyperjump/json-schema/instance/experimental";
import type { Fault } from "../core/problem.ts";
import { type Context, FaultList, faultAt, faultsOf, mayStillCome } from "./fault.ts";
import { type Ast, id, keywordsOf } from "./graph.ts";

/**
 * `oneOf`: which variant a value is meant to be, so that a draft of it may be incomplete, and faults name its fields. A
 * variant is chosen by a constant, such as `kind`, otherwise it is the nearest fit. Contract, part two, §9; decision 62.
 */

/** The values of a member that a variant accepts, as JSON texts. */
type Constants = ReadonlyMap<string, ReadonlySet<string>>;
type Variant = { readonly url: string; readonly constants: Constants };
/** The variants, and the members whose constants tell them apart: first those of which all variants have constants. */
type Variants = { readonly all: readonly Variant[]; readonly names: readonly string[]; readonly whole: Set<string> };

/** The subschemas that a value must fit if it fits this one: itself, and those behind `$ref` and `allOf`. */
function conjoined(ast: Ast, url: string): ReadonlySet<string> {
  const reached = new Set([url]);
  for (const each of reached) {
    for (const [keywordId, , value] of keywordsOf(ast, each)) {
      if (keywordId === id("ref")) reached.add(value as string);
      if (keywordId === id("allOf")) for (const one of value as string[]) reached.add(one);
    }
  }
  return reached;
}

function constantsOf(ast: Ast, url: string): Constants {
  const constants = new Map<string, ReadonlySet<string>>();
  for (const each of conjoined(ast, url)) {
    for (const [keywordId, , value] of keywordsOf(ast, each)) {
      if (keywordId !== id("properties")) continue;
      for (const [name, member] of value as ReadonlyMap<string, string>) {
        const texts = textsOf(ast, member);
        if (texts) constants.set(name, texts);
      }
    }
  }
  return constants;
}

/** Undefined unless it is one of some scalars. */
function textsOf(ast: Ast, url: string): ReadonlySet<string> | undefined {
  for (const each of conjoined(ast, url)) {
    for (const [keywordId, , value] of keywordsOf(ast, each)) {
      const texts = keywordId === id("const") ? [value as string] : keywordId === id("enum") ? (value as string[]) : [];
      if (texts.length > 0 && texts.every((text) => !/^[[{]/.test(text))) return new Set(texts);
    }
  }
  return undefined;
}

/** True for sets of which each two are equal or have nothing in common, and some two differ. */
function areApart(sets: readonly ReadonlySet<string>[]): boolean {
  const distinct = [...new Map(sets.map((set) => [JSON.stringify([...set].sort()), set])).values()];
  const all = new Set(distinct.flatMap((set) => [...set]));
  return distinct.length > 1 && all.size === distinct.reduce((size, set) => size + set.size, 0);
}

/** By the compiled value of `oneOf`, which lives as long as its schema. */
const known = new WeakMap<readonly string[], Variants>();

function variantsOf(ast: Ast, urls: readonly string[]): Variants {
  const found = known.get(urls);
  if (found) return found;
  const all = urls.map((url) => ({ url, constants: constantsOf(ast, url) }));
  const names = new Set(all.flatMap(({ constants }) => [...constants.keys()]));
  const setsOf = (name: string) => all.flatMap(({ constants }) => constants.get(name) ?? []);
  const apart = [...names].filter((name) => areApart(setsOf(name)));
  const whole = new Set(apart.filter((name) => all.every(({ constants }) => constants.has(name))));
  const variants = { all, names: [...new Set([...whole, ...apart])], whole };
  known.set(urls, variants);
  return variants;
}

/**
 * How the constants of a variant compare with a value: they agree, disagree, or say nothing. It is named where all agree
 * that every variant has: what else disagrees is wrong.
 */
type Judged = { url: string; agrees: boolean; disagrees: boolean; isNamed: boolean };

/** Those of the members that an object has, as JSON texts. */
function textsIn(instance: Instance.JsonNode, names: readonly string[]): [name: string, text: string][] {
  if (Instance.typeOf(instance) !== "object") return [];
  const members = Instance.value<Record<string, unknown>>(instance);
  return names.filter((name) => Instance.has(name, instance)).map((name) => [name, JSON.stringify(members[name])]);
}

/** A member that no variant accepts. */
type Stranger = { name: string; texts: readonly string[] };

/** The variants that a value could be of, by its constants, or the member for which it is of none. */
function meant({ all, names, whole }: Variants, instance: Instance.JsonNode): Judged[] | Stranger {
  const sent = textsIn(instance, names);
  const naming = sent.filter(([name]) => whole.has(name));
  const judged = all.map(({ url, constants }) => {
    const fits = sent.flatMap(([name, text]) => constants.get(name)?.has(text) ?? []);
    const isNamed = naming.length > 0 && naming.every(([name, text]) => constants.get(name)?.has(text));
    return { url, agrees: fits.includes(true), disagrees: fits.includes(false), isNamed };
  });
  const possible = judged.filter(({ disagrees }) => !disagrees);
  if (possible.length > 0) return possible;
  const named = judged.filter(({ isNamed }) => isNamed);
  if (named.length > 0) return named;
  for (const [name, text] of sent) {
    const texts = [...new Set(all.flatMap(({ constants }) => [...(constants.get(name) ?? [])]))];
    if (!texts.includes(text)) return { name, texts };
  }
  return judged.filter(({ agrees }) => agrees);
}

type Tried = Judged & { isValid: boolean; context: Context };

export type Apply = (url: string, instance: Instance.JsonNode, context: Context) => boolean;

/**
 * True for a value that exactly one variant accepts. In a lenient check true also for an object or a list that several
 * accept: what is missing may distinguish them. Otherwise `context.faults` says what is wrong.
 */
export function isOneOf(urls: readonly string[], instance: Instance.JsonNode, context: Context, apply: Apply): boolean {
  const judged = meant(variantsOf(context.ast as unknown as Ast, urls), instance);
  if (!Array.isArray(judged)) return refuse(context, [strangeFault(judged, instance)], allOf(instance));
  const tried = judged.map((each): Tried => {
    const own = { ...context, faults: undefined };
    return { ...each, isValid: apply(each.url, instance, own), context: own };
  });
  const valid = tried.filter(({ isValid }) => isValid);
  if (valid.length === 1) return true;
  if (valid.length === 0) {
    const nearest = nearestOf(tried, instance);
    return refuse(context, faultsOfNone(nearest, tried, instance), nearest.context);
  }
  if (context.isLenient && mayBecomeOne(valid, instance, context, apply)) return true;
  return refuse(context, faultsOf("oneOf", urls, instance), {});
}

function mayBecomeOne(valid: readonly Tried[], instance: Instance.JsonNode, context: Context, apply: Apply): boolean {
  if (["object", "array"].includes(Instance.typeOf(instance))) return true;
  const exactly = () => ({ ...context, faults: undefined, isLenient: false });
  return valid.filter(({ url }) => apply(url, instance, exactly())).length <= 1;
}

// ------------------------------------------------------------------------------------------------------ faults

type Evaluated = Pick<Context, "schemaEvaluatedProperties" | "schemaEvaluatedItems">;

/** What a refused value holds is no fault of `unevaluatedProperties` besides. */
function refuse(context: Context, faults: readonly Fault[], evaluated: Evaluated): false {
  context.faults = new FaultList();
  context.faults.add(faults);
  for (const name of evaluated.schemaEvaluatedProperties ?? []) context.evaluatedProperties?.add(name);
  for (const index of evaluated.schemaEvaluatedItems ?? []) context.evaluatedItems?.add(index);
  return false;
}

const allOf = (instance: Instance.JsonNode): Evaluated => ({
  schemaEvaluatedProperties: new Set(Object.keys(Instance.value<object>(instance))),
});

function strangeFault({ name, texts }: Stranger, instance: Instance.JsonNode): Fault {
  const member = Instance.step(name, instance) as Instance.JsonNode;
  return faultsOf("enum", texts, member)[0] as Fault;
}

/** The faults of one keyword by which a value is of none of some kinds or constants. */
const kinds: ReadonlySet<string> = new Set(["type", "const", "enum"]);
const isKind = (instance: Instance.JsonNode) => (fault: Fault) =>
  fault.pointer === instance.pointer && kinds.has(fault.rule);

const faultsIn = ({ context }: Tried): readonly Fault[] => context.faults?.faults ?? [];

/** The variant whose constants agree, that accepts such a value at all, that has the fewest faults, wrong ones first. */
function nearestOf(tried: readonly Tried[], instance: Instance.JsonNode): Tried {
  const ranked = tried.map((each) => {
    const faults = faultsIn(each);
    const wrong = faults.filter(({ rule }) => !mayStillCome.has(rule)).length;
    return { each, rank: [Number(!each.agrees), Number(faults.some(isKind(instance))), wrong, faults.length] };
  });
  const [nearest] = ranked.sort((a, b) => compare(a.rank, b.rank));
  return nearest?.each as Tried;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((n, i) => n !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Those of the nearest variant. Of a value that no variant accepts at all, one fault with what they accept. */
function faultsOfNone(nearest: Tried, tried: readonly Tried[], instance: Instance.JsonNode): readonly Fault[] {
  const own = faultsIn(nearest).find(isKind(instance));
  if (!own) return faultsIn(nearest);
  const accepted = new Set(
    tried.flatMap((each) => faultsIn(each).filter(isKind(instance))).map((fault) => fault.accepted),
  );
  return [faultAt(own.rule, [...accepted].join(" or "), instance)];
}
