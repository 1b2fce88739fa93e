import type { ValidationContext } from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import type { Fault } from "../core/problem.ts";
import { segmentOf } from "./walk.ts";

const maxShown = 200;
const cut = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text);
const listed = (values: readonly string[]): string => cut(values.join(", "));
const count = (n: number, unit: string): string => `${n} ${n === 1 ? unit : `${unit}s`}`;

/** What each keyword accepts, from its compiled value. */
const accepts: Readonly<Record<string, (value: never) => string>> = {
  type: (value: string | string[]) => (Array.isArray(value) ? value.join(" or ") : value),
  enum: (value: string[]) => `one of ${listed(value)}`,
  const: (value: string) => cut(value),
  minLength: (value: number) => `at least ${count(value, "character")}`,
  maxLength: (value: number) => `at most ${count(value, "character")}`,
  pattern: ({ source }: { source: string }) => `a text that matches ${cut(source)}`,
  format: (value: string) => `the ${value === "entry" ? "id of an entry" : "path of a file"}`,
  minimum: (value: number) => `at least ${value}`,
  maximum: (value: number) => `at most ${value}`,
  exclusiveMinimum: (value: number) => `more than ${value}`,
  exclusiveMaximum: (value: number) => `less than ${value}`,
  multipleOf: (value: number) => `a multiple of ${value}`,
  minItems: (value: number) => `at least ${count(value, "item")}`,
  maxItems: (value: number) => `at most ${count(value, "item")}`,
  uniqueItems: () => "items that differ from each other",
  minProperties: (value: number) => `at least ${count(value, "field")}`,
  maxProperties: (value: number) => `at most ${count(value, "field")}`,
  contains: ({ minContains, maxContains }: { minContains: number; maxContains: number }) =>
    maxContains < Number.MAX_SAFE_INTEGER
      ? `${minContains} to ${count(maxContains, "item")} of the kind the schema names`
      : `at least ${count(minContains, "item")} of the kind the schema names`,
  required: () => "a value",
  dependentRequired: () => "a value",
  additionalProperties: () => "only the fields that the type names",
  unevaluatedProperties: () => "only the fields that the type names",
  propertyNames: () => "names as the schema says",
  items: () => "no further items",
  unevaluatedItems: () => "no further items",
  anyOf: () => "what one of the schemas under anyOf accepts",
  oneOf: () => "what exactly one of the schemas under oneOf accepts",
  not: () => "what the schema under not refuses",
  false: () => "nothing",
};

export const acceptedOf = (rule: string, value: unknown): string =>
  Object.hasOwn(accepts, rule) ? (accepts[rule]?.(value as never) ?? "") : "what the schema says";

/** The value as a message shows it. */
function shown(instance: Instance.JsonNode): string {
  const type = Instance.typeOf(instance);
  if (type === "array") return "a list";
  if (type === "object") return "an object";
  return JSON.stringify(Instance.value(instance)).slice(0, 80).toWellFormed();
}

/** What drafts and working copies may lack. Contract, part two, §9. */
export const mayStillCome: ReadonlySet<string> = new Set([
  "required",
  "dependentRequired",
  "minProperties",
  "minItems",
  "minLength",
  "contains",
]);

/** The faults that one keyword finds: one for each field that is missing, otherwise one. */
export function faultsOf(rule: string, value: unknown, instance: Instance.JsonNode): Fault[] {
  const { pointer } = instance;
  const accepted = acceptedOf(rule, value);
  const absent =
    rule === "required" ? (value as string[]) : rule === "dependentRequired" ? dependent(value, instance) : [];
  const missing = absent.filter((name) => !Instance.has(name, instance));
  if (missing.length > 0)
    return missing.map((name) => {
      const at = `${pointer}${segmentOf(name)}`;
      return { pointer: at, rule, message: `"${at}" is missing; expected ${accepted}`, accepted };
    });
  return [faultAt(rule, accepted, instance)];
}

/** A fault of the value itself. */
export function faultAt(rule: string, accepted: string, instance: Instance.JsonNode): Fault {
  const { pointer } = instance;
  return {
    pointer,
    rule,
    message: `"${pointer}" was ${shown(instance)}; expected ${cut(accepted)}`,
    accepted: cut(accepted),
  };
}

const dependent = (value: unknown, instance: Instance.JsonNode): string[] => [
  ...new Set((value as [string, string[]][]).flatMap(([name, needed]) => (Instance.has(name, instance) ? needed : []))),
];

/** Faults that are looked for: those before an update and after it are compared. */
const maxFaults = 10_000;
/** A pointer is as long as the keys of the data are. */
const maxPointerCharacters = 1_000_000;

/** The faults of a value; never none where one was added. */
export class FaultList {
  readonly faults: Fault[] = [];
  private characters = 0;

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      const isFull = this.faults.length >= maxFaults || this.characters >= maxPointerCharacters;
      if (isFull) return;
      this.faults.push(fault);
      this.characters += fault.pointer.length;
    }
  }
}

/** What a check knows at a value: how deep it is, whether it is lenient, the faults there. */
export type Context = ValidationContext & {
  isLenient?: boolean | undefined;
  depth?: number;
  faults?: FaultList | undefined;
  /** What the library knows for `unevaluatedProperties` and `unevaluatedItems`: of the value, and of one subschema. */
  evaluatedProperties?: Set<string>;
  schemaEvaluatedProperties?: Set<string>;
  evaluatedItems?: Set<number>;
  schemaEvaluatedItems?: Set<number>;
};
