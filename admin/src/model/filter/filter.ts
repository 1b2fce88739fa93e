import { condition as conditionOf } from "../../../../client/src/client.ts";
import type { EntryQuery, TranslatedState } from "../../api/entry.ts";
import { say } from "../../language/say.ts";
import { isDay, momentFields, secondsOf, stateConditions } from "./moment.ts";

/** The state of the filter builder and its query. Contract §4, Filter. */
export type Condition = { key: string; operator: Operator; value: string };
export type EntryFilter = {
  conditions: Condition[];
  match: "all" | "any";
  search: string;
  orderBy: string;
  direction: "asc" | "desc";
  isDeep: boolean;
  /** How far they are translated into the language of the list; empty for all. */
  translation: TranslatedState | "";
};

/** The operators: their labels and the kind of value they take. */
export const operators = {
  eq: { label: say("is"), value: "one" },
  neq: { label: say("is not"), value: "one" },
  contains: { label: say("contains"), value: "one" },
  ncontains: { label: say("does not contain"), value: "one" },
  starts_with: { label: say("starts with"), value: "one" },
  ends_with: { label: say("ends with"), value: "one" },
  gt: { label: say("is greater than"), value: "one" },
  gte: { label: say("is at least"), value: "one" },
  lt: { label: say("is less than"), value: "one" },
  lte: { label: say("is at most"), value: "one" },
  between: { label: say("is between"), value: "two" },
  in: { label: say("is one of"), value: "many" },
  nin: { label: say("is none of"), value: "many" },
  newer: { label: say("is newer than"), value: "one" },
  older: { label: say("is older than"), value: "one" },
  regexp: { label: say("matches"), value: "one" },
  exists: { label: say("is not empty"), value: "none" },
  missing: { label: say("is empty"), value: "none" },
} as const satisfies Record<string, { label: string; value: "none" | "one" | "two" | "many" }>;
export type Operator = keyof typeof operators;

export const emptyFilter: EntryFilter = {
  conditions: [],
  match: "all",
  search: "",
  orderBy: "",
  direction: "asc",
  isDeep: false,
  translation: "",
};

/** Parses the filter in the page's URL; ignores invalid parts. */
export function parseFilter(text: string | null): EntryFilter {
  try {
    return { ...emptyFilter, ...(JSON.parse(text ?? "{}") as Partial<EntryFilter>) };
  } catch {
    return emptyFilter;
  }
}

/** Formats the filter for the page's URL: only what differs from an empty one. */
export function formatFilter(filter: EntryFilter): string | undefined {
  const told = Object.entries(filter).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(emptyFilter[name as keyof EntryFilter]),
  );
  return told.length === 0 ? undefined : JSON.stringify(Object.fromEntries(told));
}

/** Formats the filter as the query of a list. */
export function toQuery({ conditions, match, search, orderBy, direction, isDeep }: EntryFilter): EntryQuery {
  const whole = conditions.filter(isWhole).map(conditionsOf);
  // Alternatives are single conditions: of those of a state the one that says most.
  const [first, ...others] = match === "all" ? whole.flat() : whole.flatMap((all) => all.slice(0, 1));
  const field = orderBy.trim();
  return {
    filter: match === "all" ? first?.and(...others) : first?.or(...others),
    search: search.trim() || undefined,
    depth: isDeep ? "*" : undefined,
    sort: field === "" ? undefined : direction === "desc" ? `-${field}` : field,
  };
}

type Order = Pick<EntryFilter, "orderBy" | "direction">;

/** The order of tables where none is chosen: an editor looks for what is new. */
export const newestFirst: Order = { orderBy: "published_at", direction: "desc" };

/** The order of a table; undefined where what a search finds best comes first. */
export function orderOf({ orderBy, direction, search }: EntryFilter): Order | undefined {
  if (orderBy.trim() !== "") return { orderBy, direction };
  return search.trim() === "" ? newestFirst : undefined;
}

/** Formats the filter as the query of a table in a language; undefined is the source, which is not translated. */
export function toQueryIn(filter: EntryFilter, locale: string | undefined): EntryQuery {
  const query = toQuery({ ...filter, ...orderOf(filter) });
  return locale === undefined ? query : { ...query, locale, translation: filter.translation || undefined };
}

/** True when the condition is complete. */
export function isWhole({ key, operator, value }: Condition): boolean {
  const takes = operators[operator].value;
  if (key.trim() === "") return false;
  if (takes === "two") return partsOf(value).length === 2 && !partsOf(value).includes("");
  return takes === "none" || value.trim() !== "";
}

/** What a condition means: all of these, of which the first says most. */
function conditionsOf({ key, operator, value }: Condition) {
  const name = key.trim();
  return (name === "visibility" && stateConditions(operator, value)) || [toCondition(name, operator, value)];
}

function toCondition(name: string, operator: Operator, value: string) {
  if (operator === "exists" || operator === "missing") return conditionOf(name, "exists", operator === "exists");
  const values = operators[operator].value === "one" ? [value] : partsOf(value);
  if (momentFields.has(name) && values.every(isDay)) return dayCondition(name, operator, values);
  return conditionOf(name, operator, operators[operator].value === "one" ? value : values);
}

/** Days of a time that is stored in seconds: each is as long as it is here. */
function dayCondition(name: string, operator: Operator, days: readonly string[]) {
  const [first = "", last = first] = days;
  const from = String(secondsOf(first, 0));
  const to = String(secondsOf(last, 1) - 1);
  if (operator === "gt") return conditionOf(name, "gt", to);
  if (operator === "lt" || operator === "gte") return conditionOf(name, operator, from);
  return operator === "lte" ? conditionOf(name, "lte", to) : conditionOf(name, "between", [from, to]);
}

export const partsOf = (value: string): string[] => value.split(",").map((part) => part.trim());
