import type { Page, StagedRow } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import type { Copies } from "../model/entry/copies.ts";
import { inLocale } from "../ui/locale-select.tsx";
import { queries } from "../ui/query.ts";

const mostCopies = 1000;

/** One page of those in a language; without one those of the source, among which the service lists all others. */
async function readPage(locale: string | undefined, cursor?: string): Promise<Page<StagedRow>> {
  const page = await octavo.entries.stagedList({ limit: mostCopies, cursor, ...inLocale(locale) });
  return { ...page, items: page.items.filter((row) => row.locale === locale) };
}

const byId = (rows: readonly StagedRow[]): Copies => new Map(rows.map((row) => [row.id, row]));

export const copiesQuery = (locale?: string) => ({
  queryKey: ["collection", "copies", locale],
  queryFn: async (): Promise<Copies> => byId((await readPage(locale)).items),
});

/** All of them, as they are now. */
export async function readCopies(locale?: string): Promise<Copies> {
  const found: StagedRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(locale, cursor);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (found.length <= mostCopies) queries.setQueryData(copiesQuery(locale).queryKey, byId(found));
  return byId(found);
}
