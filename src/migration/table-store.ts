import type { WriteContext } from "../core/event.ts";
import type { Path, Slug } from "../core/path.ts";
import { isProblem } from "../core/problem.ts";
import { appendAbout } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import type { ReadSql } from "../core/sql/sql.ts";
import { columnsOfPeople, mergePreferences } from "../people/person-store.ts";
import { allViews, putView } from "../view/store.ts";
import { maxColumns, type View } from "../view/view.ts";
import type { KeptItem } from "./kept-rows.ts";
import type { Plan } from "./plan-store.ts";
import { followedView, isBelow, type TableNames } from "./view.ts";

/** The tables that follow a migration: those that people saved, and the columns that they chose elsewhere. */

/** A table: a view, or under a key of a person's preferences. */
type Table = TableNames & { readonly path: Path } & (
    | { readonly view: View }
    | { readonly person: string; readonly key: string }
  );

/** A table that follows, with its names afterwards. */
export type Followed = { readonly table: Table; readonly names: TableNames };

export async function allTables(sql: ReadSql): Promise<Table[]> {
  const views = (await allViews(sql)).map((view): Table => ({ ...namesOf(view), path: view.path, view }));
  const chosen = (await columnsOfPeople(sql)).map(
    ({ id, key, columns }): Table => ({
      columns,
      sort: "",
      filter: "{}",
      path: key.slice(key.indexOf(":") + 1) as Path,
      person: id,
      key,
    }),
  );
  return [...views, ...chosen];
}

const namesOf = ({ columns, sort, filter }: TableNames): TableNames => ({ columns, sort, filter });
const textOf = (names: TableNames): string => JSON.stringify(namesOf(names));

/** The saved tables, and the types of whose entries each has some. */
export class Tables {
  private readonly tables: readonly Table[];
  private readonly plan: Plan;
  private readonly types = new Map<Path, Set<string>>();

  constructor(tables: readonly Table[], plan: Plan) {
    this.tables = tables;
    this.plan = plan;
    for (const { path } of tables) {
      const below = plan.rows.filter(({ paths }) => paths.some((pattern) => isBelow(pattern, path)));
      this.types.set(path, new Set(below.map(({ id }) => id)));
    }
  }

  note(slug: Slug, type: string | undefined): void {
    if (type === undefined) return;
    for (const [path, types] of this.types) if (path === "" || slug.startsWith(`${path}/`)) types.add(type);
  }

  async followed(): Promise<Followed[]> {
    const followed: Followed[] = [];
    for (const table of this.tables) {
      const types = this.types.get(table.path) as Set<string>;
      const steps = this.plan.steps.filter(({ type }) => types.has(type));
      const others = await this.fieldsOfOthers(types, new Set(steps.map(({ type }) => type)));
      const names = followedView(table, steps, (field) => others.has(field), maxColumns);
      if (names) followed.push({ table, names });
    }
    return followed;
  }

  /** The fields of types that no step is about. */
  private async fieldsOfOthers(types: ReadonlySet<string>, own: ReadonlySet<string>): Promise<Set<string>> {
    const fields = new Set<string>();
    if (own.size === 0) return fields;
    for (const type of types) {
      if (own.has(type)) continue;
      for (const name of (await this.plan.after.compile(type)).names.keys()) fields.add(name);
    }
    return fields;
  }
}

type Kept = Pick<KeptItem, "noun" | "thing" | "name" | "revision" | "before" | "after">;

/** Writes the table; answers what there was before, undefined where its person has no room for the longer names. */
export async function putTable(
  on: Writing,
  { table, names }: Followed,
  context: WriteContext,
): Promise<Kept | undefined> {
  if (!(await write(on, table, names, context))) return undefined;
  const [before, after] = [textOf(table), textOf(names)];
  if ("view" in table)
    return { noun: "view", thing: table.view.id, name: table.view.title, revision: 0, before, after };
  return { noun: "person", thing: thingOf(table), name: table.person, revision: 0, before, after };
}

const thingOf = ({ person, key }: { person: string; key: string }): string => `${person} ${key}`;

async function write(on: Writing, table: Table, names: TableNames, context: WriteContext): Promise<boolean> {
  if ("view" in table) {
    const { view } = table;
    await putView(on, { ...view, ...namesOf(names) }, { person: view.person, isOwner: false }, context);
    return true;
  }
  try {
    await mergePreferences(on.sql, table.person, JSON.stringify({ [table.key]: names.columns }));
  } catch (error) {
    if (isProblem(error, "data_too_large")) return false;
    throw error;
  }
  await appendAbout(on, "person.update", table.person, context);
  return true;
}

/** Gives the tables what they named before; those that somebody changed since stay. Answers how many came back. */
export async function undoTables(on: Writing, items: readonly KeptItem[], context: WriteContext): Promise<number> {
  if (items.length === 0) return 0;
  const tables = new Map(
    (await allTables(on.sql)).map((table) => ["view" in table ? table.view.id : thingOf(table), table]),
  );
  let count = 0;
  for (const { thing, before, after } of items) {
    const table = tables.get(thing);
    if (!table || textOf(table) !== after) continue;
    if (await write(on, table, JSON.parse(before as string) as TableNames, context)) count++;
  }
  return count;
}
