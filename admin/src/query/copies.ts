import type { StagedRow } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import type { Copies } from "../model/entry/copies.ts";
import { queries } from "../ui/query.ts";

const mostCopies = 1000;

/** What is done with entries in lists is done with their source. */
const isOfSource = ({ locale }: StagedRow): boolean => locale === undefined;

export const copiesQuery = {
  queryKey: ["collection", "copies"],
  queryFn: async (): Promise<Copies> => {
    const { items } = await octavo.entries.stagedList({ limit: mostCopies });
    return new Map(items.filter(isOfSource).map((row) => [row.id, row]));
  },
};

/** All of them, as they are now. */
export async function readCopies(): Promise<Copies> {
  const found = new Map<string, StagedRow>();
  let cursor: string | undefined;
  do {
    const page = await octavo.entries.stagedList({ limit: mostCopies, cursor });
    for (const row of page.items.filter(isOfSource)) found.set(row.id, row);
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (found.size <= mostCopies) queries.setQueryData(copiesQuery.queryKey, found);
  return found;
}
