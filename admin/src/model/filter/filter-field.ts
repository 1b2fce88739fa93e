import { say } from "../../language/say.ts";
import { type Condition, type Operator, operators, partsOf } from "./filter.ts";
import { isDay, localOf, stateOptions } from "./moment.ts";

/** Which operators, values and words a filter has for a field, by its kind. */

export type FieldKind =
  | "any"
  | "text"
  | "number"
  | "choice"
  | "choices"
  | "day"
  | "moment"
  | "state"
  | "entry"
  | "entries";
/** `isText`: what is stored is a text, also one like `2024`. */
export type FieldOption = { readonly value: string; readonly label: string; readonly isText?: boolean };
export type FilterField = {
  readonly key: string;
  readonly name: string;
  readonly kind: FieldKind;
  readonly options?: readonly FieldOption[] | undefined;
  /** The types of entries that it refers to; none for all. */
  readonly types?: readonly string[] | undefined;
};

/** Those of every entry, by the names that the columns have. */
export const serviceFields: readonly FilterField[] = [
  { key: "title", name: say("Title"), kind: "text" },
  { key: "visibility", name: say("State"), kind: "state", options: stateOptions },
  { key: "published_at", name: say("Published"), kind: "day" },
  { key: "modified_at", name: say("Changed"), kind: "day" },
  { key: "created_at", name: say("Created"), kind: "day" },
  { key: "slug", name: say("Id"), kind: "text" },
];

type Words = Partial<Record<Operator, string>>;
const empty: Words = { missing: say("is empty"), exists: say("is not empty") };
const among: Words = { eq: say("is"), neq: say("is not"), in: say("is one of"), nin: say("is none of"), ...empty };

const words: Record<FieldKind, Words> = {
  any: Object.fromEntries(Object.entries(operators).map(([name, { label }]) => [name, label])),
  text: {
    ...{ contains: say("contains"), ncontains: say("does not contain"), eq: say("is"), neq: say("is not") },
    ...{ starts_with: say("starts with"), ends_with: say("ends with"), in: say("is one of"), nin: say("is none of") },
    ...{ regexp: say("matches"), ...empty },
  },
  number: {
    ...{
      eq: say("is"),
      neq: say("is not"),
      gte: say("is at least"),
      lte: say("is at most"),
      gt: say("is greater than"),
    },
    ...{ lt: say("is less than"), between: say("is between"), in: say("is one of"), nin: say("is none of"), ...empty },
  },
  choice: among,
  choices: { eq: say("contains"), neq: say("does not contain"), ...empty },
  day: { eq: say("is on"), gt: say("is after"), lt: say("is before"), between: say("is between"), ...empty },
  moment: { newer: say("is after"), older: say("is before"), ...empty },
  state: { eq: say("is"), neq: say("is not") },
  entry: { eq: say("is"), neq: say("is not"), ...empty },
  entries: { eq: say("contains"), neq: say("does not contain"), ...empty },
};

/** The operators of a field, in words. */
export const operatorsOf = ({ kind }: Pick<FilterField, "kind">): { value: Operator; label: string }[] =>
  Object.entries(words[kind]).map(([value, label]) => ({ value: value as Operator, label }));

/** The same condition on another field: without a value it gets the field's first operator; what does not fit goes. */
export function onField(condition: Condition, field: FilterField): Condition {
  const changed = { ...condition, key: field.key };
  const offered = operatorsOf(field);
  const operator =
    condition.value !== "" && offered.some(({ value }) => value === condition.operator)
      ? condition.operator
      : (offered[0]?.value ?? "eq");
  // Kept also by an operator that takes none, for the next one.
  const taking = operators[operator].value === "none" ? "eq" : operator;
  const value = faultOf(field, { ...changed, operator: taking }) === undefined ? condition.value : "";
  return { ...changed, operator, value };
}

/** Why no entry can meet the condition; undefined when one can. */
export function faultOf({ kind, options }: FilterField, { operator, value }: Condition): string | undefined {
  const takes = operators[operator].value;
  if (takes === "none" || value.trim() === "") return undefined;
  const parts = (takes === "one" ? [value] : partsOf(value)).filter((part) => part !== "");
  const odd = (isFit: (part: string) => boolean): string | undefined => parts.find((part) => !isFit(part));
  const told = (part: string | undefined, noun: string): string | undefined =>
    part === undefined ? undefined : say("“{part}” is no {noun}: no entry matches", { part, noun });
  if (kind === "number")
    return told(
      odd((part) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(part.trim())),
      say("number"),
    );
  if (kind === "day") return told(odd(isDay), say("date"));
  if (kind === "moment")
    return told(
      odd((part) => localOf(part) !== ""),
      say("date and time"),
    );
  if (!options || (kind === "state" && ["visible", "hidden", "draft"].includes(value))) return undefined;
  return told(
    odd((part) => options.some((option) => option.value === part)),
    say("choice of this field"),
  );
}

/** The field that a text names, by its key or its name; a text that names none is a key. */
export const fieldOf = (fields: readonly FilterField[], text: string): FilterField => {
  const key = text.trim();
  const found = fields.find((field) => field.key === key) ?? fields.find(({ name }) => name === key);
  return found ?? { key, name: key, kind: "any" };
};
