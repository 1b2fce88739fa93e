import type { Reach } from "../core/access/access.ts";
import { namesOf } from "../core/sql/rows.ts";
import { columnsOf, type Row, type Sql, withinAny } from "../core/sql/sql.ts";
import { problem } from "./problems.ts";
import type { Release, ReleaseNow, ReleaseState } from "./release.ts";
import { releaseRule } from "./release-row-rules.ts";
import { fromStaged } from "./staged-rows.ts";

/** Conversions between a release and its row. */

/** SQL that is true for the working copies that a release has published. */
export const isPublishedBy = (release: string): string =>
  `working_copy.release = ${release} AND working_copy.published_revision > 0`;

/** A release with the number of its entries at and below the paths, whose parameters begin with number `first`. */
export function selectRelease({ paths }: Reach, first: number): { text: string; values: string[] } {
  const { sql: live, values } = withinAny("entry.slug", paths, first);
  const { sql: then } = withinAny("working_copy.slug", paths, first);
  const published =
    paths === null
      ? "release.count"
      : `(SELECT count(*) FROM working_copy WHERE ${isPublishedBy("release.id")} AND ${then})`;
  const text = `SELECT ${columnsOf("release", namesOf(releaseRule))},
      CASE release.state WHEN 'published' THEN ${published}
        ELSE (SELECT count(*) FROM ${fromStaged} AND staged.release = release.id AND ${live}) END
    FROM release`;
  return { text, values };
}

type ReleaseRow = readonly [
  id: string,
  title: string,
  state: ReleaseState,
  at: number | null,
  scheduledBy: string | null,
  published: number,
  createdAt: number,
  createdBy: string,
  sequence: number,
  count: number,
];

export function toRelease(row: Row): Release {
  const [id, title, state, atSeconds, scheduledBy, , createdAtSeconds, createdBy, sequence, count] = row as ReleaseRow;
  return { id, title, state, atSeconds, scheduledBy, count, createdAtSeconds, createdBy, sequence };
}

/** The release as one who reaches so far sees it. Throws release_not_found. */
export async function getRelease(
  sql: Pick<Sql, "row">,
  id: string,
  reach: Reach = { paths: null },
  argument = "id",
): Promise<Release> {
  const { text, values } = selectRelease(reach, 2);
  const row = await sql.row(`${text} WHERE release.id = ?1`, id, ...values);
  if (!row) throw problem("release_not_found", { argument, id });
  return toRelease(row);
}

/** The same without the number of its entries, which takes a look at each of them. Throws release_not_found. */
export async function releaseNow(sql: Pick<Sql, "row">, id: string, argument: string): Promise<ReleaseNow> {
  const row = await sql.row("SELECT state, at FROM release WHERE id = ?1", id);
  if (!row) throw problem("release_not_found", { argument, id });
  const [state, atSeconds] = row as readonly [ReleaseState, number | null];
  return { id, state, atSeconds };
}
