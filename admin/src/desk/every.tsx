import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { type Entry, type EntryQuery, listEntries } from "../api/entry.ts";
import { say } from "../language/say.ts";
import { formatCount } from "../model/format.ts";
import { isHidden } from "../trash/delete-entries.ts";
import { queries } from "../ui/query.ts";
import { type Selection, useSelection } from "../ui/selection.ts";
import { useHidden } from "../ui/undo.tsx";

/** As many as one batch takes. */
const mostSelected = 1000;

/**
 * The selection among the entries that are shown, and a button to select all that the list has, also those that are not shown
 * yet.
 */
export function useEverySelection(path: string, query: EntryQuery, shown: readonly Entry[], total: number) {
  const hidden = useHidden();
  const [isEvery, setEvery] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const every = {
    queryKey: ["collection", path, query, "every"],
    queryFn: async () => (await listEntries(path, { ...query, limit: mostSelected })).items,
  };
  const { data } = useQuery({ ...every, enabled: isEvery });
  const all = isEvery && data ? data.filter(({ slug }) => !isHidden(hidden, slug)) : shown;
  const selection: Selection<Entry> = useSelection(all, ({ slug }) => slug);
  const { things, isAll, select } = selection;
  const isNone = things.length === 0;
  useEffect(() => {
    if (isNone) setEvery(false);
  }, [isNone]);
  const take = async (rest: () => void): Promise<void> => {
    setBusy(true);
    const items = await queries.fetchQuery({ ...every, staleTime: 0 }).catch(() => []);
    setBusy(false);
    if (items.length === 0) return;
    setEvery(true);
    select(items);
    rest();
  };
  const most = Math.min(total, mostSelected);
  const label =
    total > most
      ? say("Select the first {most}", { most: formatCount(most) })
      : say("Select all {most}", { most: formatCount(most) });
  const isOffered = !isEvery && isAll && !isNone && total > things.length;
  /** Goes when all are selected: `rest` takes the focus. */
  const everyButton = (rest: () => void): ReactNode =>
    isOffered && (
      <Button
        className="select-every"
        size="compact-sm"
        variant="subtle"
        aria-label={label}
        leftSection={<ListChecks size={14} />}
        loading={isBusy}
        onClick={() => void take(rest)}
      >
        {label}
      </Button>
    );
  return { selection, everyButton };
}
