import { useQuery } from "@tanstack/react-query";
import type { StagedRow } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { copyKey, listStaged } from "../api/staged.ts";

/** What a token proposes: the working copies and drafts that it changed last. */

export type Proposal = Pick<StagedRow, "id" | "locale" | "title" | "outdated" | "release"> & {
  at: number;
  /** There is something to compare it with. */
  isCopy: boolean;
};

const pageRows = 1000;
/** As many drafts as one read lists. */
const recentDrafts = 100;

async function readProposals(actor: string): Promise<Proposal[]> {
  const found = new Map<string, Proposal>();
  const drafts = await octavo.entries.recent({ visibility: "draft", limit: recentDrafts });
  for (const { id, title, at, ...row } of drafts) {
    if (row.actor === actor && !row.staged) found.set(id, { id, title, at, outdated: [], isCopy: false });
  }
  let cursor: string | undefined;
  do {
    const page = await listStaged(cursor, pageRows);
    for (const { staged_at: at, staged_by, ...row } of page.items) {
      if (staged_by === actor) found.set(copyKey(row), { ...row, at, isCopy: true });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [...found.values()].sort((one, other) => other.at - one.at);
}

/** The newest first; read again whenever they are shown. */
export const useProposals = (actor: string) =>
  useQuery({ queryKey: ["staged", "of", actor], queryFn: () => readProposals(actor), staleTime: 0 });
