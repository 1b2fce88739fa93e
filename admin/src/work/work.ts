import { useQuery } from "@tanstack/react-query";
import { type RecentEntry, type StagedRow, where } from "../../../client/src/client.ts";
import { listEntries, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf, parentOf } from "../api/path.ts";
import { copyKey, listStaged } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { useSession } from "../session-context.ts";

/** What somebody works on: drafts, and changes of published entries. */

export type WorkState = "Draft" | "Changed" | "Scheduled" | "Failed";

export type Work = {
  id: string;
  /** Of a translation; undefined for the source. */
  locale?: string | undefined;
  title: string;
  /** The id of what it is below. */
  section: string;
  state: WorkState;
  /** Who changed it last, and when; undefined where the log does not go back so far. */
  actor: string | undefined;
  actorName: string | undefined;
  at: number;
  publishAt: number | undefined;
  outdated: readonly string[];
};

const named = (id: string, title: string) => ({ id, title: title || nameOf(id), section: parentOf(id) });

const ofCopy = (row: StagedRow, failed: ReadonlySet<string>): Work => ({
  ...named(row.id, row.title),
  locale: row.locale,
  state: row.publish_at !== null ? "Scheduled" : failed.has(row.id) ? "Failed" : "Changed",
  ...{ actor: row.staged_by, actorName: row.staged_by_name, at: row.staged_at },
  ...{ publishAt: row.publish_at ?? undefined, outdated: row.outdated },
});

const ofRecent = (row: RecentEntry): Work => ({
  ...named(row.id, row.title),
  state: "Draft",
  ...{ actor: row.actor, actorName: row.actor_name, at: row.at, publishAt: undefined, outdated: [] },
});

/** The most that is shown of each kind: what nobody has touched for long is found in the list of entries. */
const shown = 100;

const isDraft = where("visibility").eq("draft");

/** All of it, the newest first. Three reads, each from an index. */
async function readWork(): Promise<Work[]> {
  const [copies, recent, drafts] = await Promise.all([
    listStaged(undefined, shown),
    octavo.entries.recent({ limit: shown }),
    listEntries("", { depth: "*", filter: isDraft, sort: "-modified_at", limit: shown }),
  ]);
  const failed = new Set(recent.flatMap(({ id, kind }) => (kind === "entry.publish_failed" ? [id] : [])));
  const changed = new Map(recent.map((row) => [row.id, row]));
  const work = new Map<string, Work>();
  for (const entry of drafts.items) {
    const known = changed.get(entry.slug);
    const unknown = { ...named(entry.slug, titleOf(entry)), state: "Draft" as const, at: entry.modified_at };
    const rest = { actor: undefined, actorName: undefined, publishAt: undefined, outdated: [] };
    work.set(entry.slug, known ? ofRecent(known) : { ...unknown, ...rest });
  }
  for (const row of copies.items) work.set(copyKey(row), ofCopy(row, failed));
  return [...work.values()].sort((one, other) => other.at - one.at);
}

/** Read again whenever it is shown: others stage, and the service publishes what is due. */
export const useWork = () => useQuery({ queryKey: ["staged", "work"], queryFn: readWork, staleTime: 0 });

/** Whether this session did it. */
export function useIsMine(): (work: Pick<Work, "actor">) => boolean {
  const { token } = useSession();
  return ({ actor }) => actor === token.id;
}

/** As people read them. */
export const stateNames: Readonly<Record<WorkState, string>> = {
  Draft: say("Draft"),
  Changed: say("Waiting"),
  Scheduled: say("Scheduled"),
  Failed: say("Failed"),
};

export const stateColors: Readonly<Record<WorkState, string>> = {
  ...{ Draft: "yellow", Changed: "yellow", Scheduled: "blue", Failed: "red" },
};
