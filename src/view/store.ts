import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
import { columnsOf, numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import { problem } from "./problems.ts";
import { viewRule } from "./row-rules.ts";
import { maxSharedViews, maxViews, refuseForeignView, type View, type Viewer, type ViewStore } from "./view.ts";

const columns = columnsOf("view", namesOf(viewRule));

export const viewNoun = noun({
  writes: { createView, putView, deleteView },
  rows: [
    rowTable(viewRule, "id", {
      refusals: [
        [isTwice, "SELECT 1 FROM view WHERE id = ?1", "id"],
        ["there is no such person", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM person WHERE id = ?1)", "person"],
      ],
    }),
  ],
  relations: [
    {
      query: `SELECT view.person, view.id FROM view JOIN person ON person.id = view.person WHERE person.state = 'deleted'`,
      says: (person, id) => `The view ${id} is of the person ${person}, who is deleted`,
    },
  ],
  port: ({ sql, writes }): ViewStore => ({
    list: async (person) => {
      const own = `SELECT ${columns} FROM view WHERE person = ?1 OR shared = 1 ORDER BY title, id LIMIT ?2`;
      return (await sql.rows(own, person, maxViews + maxSharedViews)).map(toView);
    },
    create: writes.createView,
    put: writes.putView,
    delete: writes.deleteView,
  }),
});

type ViewRow = readonly [
  id: string,
  person: string,
  title: string,
  path: Path,
  columns: string,
  sort: string,
  filter: string,
  isShared: number,
];

function toView(row: Row): View {
  const [id, person, title, path, columns, sort, filter, isShared] = row as unknown as ViewRow;
  return { id, person, title, path, columns: JSON.parse(columns), sort, filter, isShared: Number(isShared) === 1 };
}

async function findView(sql: Sql, id: string): Promise<View | undefined> {
  const row = await sql.row(`SELECT ${columns} FROM view WHERE id = ?1`, id);
  return row && toView(row);
}

/** All views, of everybody. */
export const allViews = async (sql: Pick<Sql, "rows">): Promise<View[]> =>
  (await sql.rows(`SELECT ${columns} FROM view ORDER BY id`)).map(toView);

/** Throws too_many_views. */
async function refuseTooMany(sql: Sql, { person, isShared }: Pick<View, "person" | "isShared">): Promise<void> {
  const own = await numberOf(sql, "SELECT count(*) FROM view WHERE person = ?1", person);
  if (own >= maxViews) throw problem("too_many_views", { limit: maxViews, what: "views of this person" });
  if (isShared) await refuseTooManyShared(sql);
}

async function refuseTooManyShared(sql: Sql): Promise<void> {
  if ((await numberOf(sql, "SELECT count(*) FROM view WHERE shared = 1")) >= maxSharedViews)
    throw problem("too_many_views", { limit: maxSharedViews, what: "shared views" });
}

const insert = (sql: Writing["sql"], { id, person, title, path, columns, sort, filter, isShared }: View) =>
  sql.run(insertOf(viewRule).text, id, person, title, path, JSON.stringify(columns), sort, filter, Number(isShared));

async function createView(on: Writing, view: View, context: WriteContext): Promise<View> {
  const { sql } = on;
  if (!(await sql.row("SELECT 1 FROM person WHERE id = ?1 AND state <> 'deleted'", view.person)))
    throw problem("person_not_found", { id: view.person });
  await refuseTooMany(sql, view);
  await insert(sql, view);
  await appendAbout(on, "view.put", view.id, context);
  return view;
}

export async function putView(on: Writing, sent: View, viewer: Viewer, context: WriteContext): Promise<View> {
  const { sql } = on;
  const before = refuseForeignView(await findView(sql, sent.id), sent.id, viewer);
  if (sent.isShared && !before.isShared) await refuseTooManyShared(sql);
  const view = { ...sent, person: before.person };
  await sql.run("DELETE FROM view WHERE id = ?1", sent.id);
  await insert(sql, view);
  await appendAbout(on, "view.put", view.id, context);
  return view;
}

async function deleteView(on: Writing, id: string, viewer: Viewer, context: WriteContext): Promise<void> {
  const { sql } = on;
  refuseForeignView(await findView(sql, id), id, viewer);
  await sql.run("DELETE FROM view WHERE id = ?1", id);
  await appendAbout(on, "view.delete", id, context);
}

/** Without an event of its own: that of the person who is deleted. */
export const removeViewsOf = (sql: Writing["sql"], person: string) =>
  sql.run("DELETE FROM view WHERE person = ?1", person);
