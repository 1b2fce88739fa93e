/** The lists that sites request, in the words of Octavo, Directus and Payload, with how many match and their goals. */
import { random } from "./rounds.ts";
import { sample } from "./store.ts";

type Condition = {
  field: Field;
  operator: "eq" | "neq" | "gte" | "in" | "between" | "contains" | "ends_with";
  values: readonly (string | number)[];
};
/** What all services can be asked for. An order is descending. */
export type Ask = {
  where?: Condition[];
  search?: string;
  order?: Field;
  limit?: number;
  offset?: number;
  isCount?: true;
  hasTotal?: true;
};
type Field = keyof typeof columns;

/** A field as Octavo names it, and its column in Directus, which does not look into JSON. */
const columns = {
  title: "title",
  group: "group",
  year: "year",
  price: "price",
  state: "state",
  language: "language",
  published_at: "published_at",
  "author.name": "author_name",
} as const;
/** The columns that are asked for. Directus has an index on each. */
export const askedColumns: readonly string[] = Object.values(columns);

export type ListQuery = {
  name: string;
  /** Values change from call to call. */
  ask(size: number): Ask;
  /** How many of `size` entries match; absent where it depends on the values. */
  matches?: ((size: number) => number) | undefined;
  /** The goal at 1,000,000: milliseconds; otherwise twice what it takes at 10,000. */
  mostMs?: Record<"SQLite" | "PostgreSQL", number>;
  /** True when every request is the same; the values of others are drawn at random. */
  isRepeated?: boolean;
  /** True for one that bench/bare-lists.ts answers as well. */
  hasFloor?: boolean;
};

/** The path that the entries are below. */
export const top = "list";

const counting = { SQLite: 60, PostgreSQL: 200 };
const states = ["new", "open", "done"] as const;
const isIn = (state = ""): Condition => ({ field: "state", operator: "eq", values: [state] });
/** Letters that some, many or no texts have. */
const pairs = ["lo", "qu", "zx", "am", "kj", "or", "vw", "et", "xx", "go"];
/** Words that all texts have. */
const words = ["lorem", "ipsum dolor", "amet", "adipiscing elit", "consectetur"];
/** Groups have 20 entries each. */
const groups = (size: number): number => Math.ceil(size / 20);
const inGroup = (size: number): Condition => ({ field: "group", operator: "eq", values: [random(groups(size))] });
/** A text that one title has: of the numbers with the most digits, none of which is in another. */
function oneTitle(size: number): string {
  const least = 10 ** Math.floor(Math.log10(size - 1));
  return `number ${least + random(size - least)}`;
}

/** What costs most to order: c of N match, where reading all matches costs as much as walking the order. */
const worst = (size: number): number => Math.round(Math.sqrt(20 * size) / 20);
function worstGroups(size: number): Condition {
  const first = random(groups(size) - worst(size));
  return { field: "group", operator: "between", values: [first, first + worst(size) - 1] };
}

export const listQueries: readonly ListQuery[] = [
  {
    name: "newest ten, offset < 50",
    hasFloor: true,
    ask: () => ({ order: "published_at", limit: 10, offset: random(50) }),
    matches: (size) => size,
  },
  {
    name: "price ≥ x, by price, ten",
    hasFloor: true,
    ask: () => ({
      where: [{ field: "price", operator: "gte", values: [random(900) / 10] }],
      order: "price",
      limit: 10,
    }),
  },
  {
    name: "state = one of three, by price, ten, offset < 100",
    hasFloor: true,
    ask: () => ({ where: [isIn(states[random(3)])], order: "price", limit: 10, offset: random(100) }),
    matches: undefined,
  },
  {
    name: "range (root of 20 × all), by price, ten",
    ask: (size) => ({ where: [worstGroups(size)], order: "price", limit: 10 }),
    matches: (size) => 20 * worst(size),
  },
  {
    name: "group = x, 20 match",
    hasFloor: true,
    ask: (size) => ({ where: [inGroup(size)], limit: 30 }),
    matches: () => 20,
  },
  {
    name: "search of a number, 1 match",
    ask: (size) => ({ search: oneTitle(size), limit: 20 }),
    matches: () => 1,
  },
  {
    name: "contains, 1 match",
    hasFloor: true,
    ask: (size) => ({ where: [{ field: "title", operator: "contains", values: [oneTitle(size)] }], limit: 20 }),
    matches: () => 1,
  },
  {
    name: "search of two letters",
    ask: () => ({ search: pairs[random(pairs.length)], limit: 10 }),
  },
  {
    name: "search of words that all have, newest ten, offset < 50",
    ask: () => ({ search: words[random(words.length)], order: "published_at", limit: 10, offset: random(50) }),
    matches: (size) => size,
  },
  {
    name: "count of a range",
    hasFloor: true,
    ask: () => ({ where: [{ field: "price", operator: "gte", values: [random(997) / 10] }], isCount: true }),
    mostMs: counting,
  },
  {
    name: "state ≠ x, ten of a page, with total",
    hasFloor: true,
    ask: () => ({
      where: [{ field: "state", operator: "neq", values: [states[random(3)] ?? ""] }],
      limit: 10,
      offset: 10 * random(20),
      hasTotal: true,
    }),
    mostMs: counting,
  },
  {
    name: "three conditions, the first leaves 20",
    ask: (size) => ({
      where: [
        inGroup(size),
        { field: "year", operator: "gte", values: [1950] },
        { field: "language", operator: "in", values: ["en", "de"] },
      ],
    }),
    matches: () => 20,
  },
  {
    name: "by state, which thousands share, ten, offset < 100",
    ask: () => ({ order: "state", limit: 10, offset: random(100) }),
    matches: (size) => size,
  },
  {
    name: "newest ten, the same request each time",
    ask: () => ({ order: "published_at", limit: 10 }),
    matches: (size) => size,
    isRepeated: true,
  },
];

// ---------------------------------------------------------------------------------------------- in Octavo's words

/** The query of a call: `&` in front of each argument. */
export function octavoQuery({ where = [], search, order, limit, offset, isCount, hasTotal }: Ask): string {
  const conditions = where.flatMap(({ field, operator, values }, i): Argument[] => {
    const at = i === 0 ? "filter[where]" : `filter[and_where][${i - 1}]`;
    const listed = values.map((value, n): Argument => [`${at}[value]${values.length > 1 ? `[${n}]` : ""}`, value]);
    return [[`${at}[key]`, field], [`${at}[expr]`, operator], ...listed];
  });
  return encoded([
    ...conditions,
    ["filter[order_by][field]", order],
    ["filter[order_by][direction]", order && "desc"],
    ["filter[search]", search],
    ["filter[limit]", limit],
    ["filter[offset]", offset],
    ["filter[return]", isCount && "count"],
    ["filter[total]", hasTotal && 1],
  ]);
}

// ---------------------------------------------------------------------------------------------- in Directus' words

export function directusQuery({ where = [], search, order, limit, offset, isCount, hasTotal }: Ask): string {
  const conditions = where.map(
    ({ field, operator, values }): Argument => [`filter[${columns[field]}][_${operator}]`, values.join()],
  );
  return encoded([
    ...conditions,
    ["sort", order && `-${columns[order]}`],
    ["search", search],
    ["limit", limit],
    ["offset", offset],
    ["aggregate[count]", isCount && "*"],
    ["meta", hasTotal && "filter_count"],
  ]);
}

/** A row of its table. */
export function directusItem(n: number, size: number): Record<string, unknown> {
  const item = sample(n, size) as { author: { name: string } };
  return { slug: `e${n}`, ...item, published_at: 1 + n, author_name: item.author.name };
}

// ---------------------------------------------------------------------------------------------- in Payload's words

const payloadOperators: Record<Condition["operator"], readonly string[]> = {
  eq: ["equals"],
  neq: ["not_equals"],
  gte: ["greater_than_equal"],
  in: ["in"],
  between: ["greater_than_equal", "less_than_equal"],
  contains: ["contains"],
  ends_with: [],
};
const payloadTexts = ["title", "state", "language", "content", "author.name"];

/**
 * The path and the query of a call. It has pages in place of an offset: that page is asked for which begins at or before
 * it. Without a total it is spared counting.
 */
export function payloadQuery({ where = [], search, order, limit = 100, offset = 0, isCount, hasTotal }: Ask): string {
  const conditions = where.flatMap(({ field, operator, values }) => {
    const names = payloadOperators[operator];
    return names.map((name, i): Argument => [`[${field}][${name}]`, names.length > 1 ? values[i] : values.join()]);
  });
  const searched = search === undefined ? [] : payloadTexts;
  const page: Argument[] = [
    ["sort", order && `-${order}`],
    ["limit", limit],
    ["page", 1 + Math.floor(offset / limit)],
    ["pagination", hasTotal ? undefined : "false"],
  ];
  const query = encoded([
    ...conditions.map(([name, value], i): Argument => [`where[and][${i}]${name}`, value]),
    ...searched.map((field, i): Argument => [`where[or][${i}][${field}][contains]`, search]),
    ...(isCount ? [] : page),
  ]);
  return `${isCount ? "/count" : ""}?depth=0${query}`;
}

/** Left out when it has no value. */
type Argument = [name: string, value: string | number | undefined];
const encoded = (args: Argument[]): string =>
  args.map(([name, value]) => (value === undefined ? "" : `&${name}=${encodeURIComponent(value)}`)).join("");
