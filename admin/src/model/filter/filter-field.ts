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
export type FieldOption = { readonly value: string; readonly label: string };
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
  { key: "title", name: "Title", kind: "text" },
  { key: "visibility", name: "State", kind: "state", options: stateOptions },
  { key: "published_at", name: "Published", kind: "day" },
  { key: "modified_at", name: "Changed", kind: "day" },
  { key: "created_at", name: "Created", kind: "day" },
  { key: "slug", name: "Id", kind: "text" },
];

type Words = Partial<Record<Operator, string>>;
const empty: Words = { missing: "is empty", exists: "is not empty" };
const among: Words = { eq: "is", neq: "is not", in: "is one of", nin: "is none of", ...empty };

const words: Record<FieldKind, Words> = {
  any: Object.fromEntries(Object.entries(operators).map(([name, { label }]) => [name, label])),
  text: {
    ...{ contains: "contains", ncontains: "does not contain", eq: "is", neq: "is not" },
    ...{ starts_with: "starts with", ends_with: "ends with", in: "is one of", nin: "is none of" },
    ...{ regexp: "matches", ...empty },
  },
  number: {
    ...{ eq: "is", neq: "is not", gte: "is at least", lte: "is at most", gt: "is greater than" },
    ...{ lt: "is less than", between: "is between", in: "is one of", nin: "is none of", ...empty },
  },
  choice: among,
  choices: { eq: "contains", neq: "does not contain", ...empty },
  day: { eq: "is on", gt: "is after", lt: "is before", between: "is between", ...empty },
  moment: { newer: "is after", older: "is before", ...empty },
  state: { eq: "is", neq: "is not" },
  entry: { eq: "is", neq: "is not", ...empty },
  entries: { eq: "contains", neq: "does not contain", ...empty },
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
    part === undefined ? undefined : `“${part}” is no ${noun}: no entry matches`;
  if (kind === "number")
    return told(
      odd((part) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(part.trim())),
      "number",
    );
  if (kind === "day") return told(odd(isDay), "date");
  if (kind === "moment")
    return told(
      odd((part) => localOf(part) !== ""),
      "date and time",
    );
  if (!options || (kind === "state" && ["visible", "hidden", "draft"].includes(value))) return undefined;
  return told(
    odd((part) => options.some((option) => option.value === part)),
    "choice of this field",
  );
}

/** The field that a text names, by its key or its name; a text that names none is a key. */
export const fieldOf = (fields: readonly FilterField[], text: string): FilterField => {
  const key = text.trim();
  const found = fields.find((field) => field.key === key) ?? fields.find(({ name }) => name === key);
  return found ?? { key, name: key, kind: "any" };
};
