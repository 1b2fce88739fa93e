import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Entry } from "../api/entry.ts";
import { CopyLines } from "../desk/copy-lines.tsx";
import { sayMany } from "../language/say.ts";
import { type CopyGroups, groupCopies } from "../model/entry/copies.ts";
import { languageName } from "../model/locale.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { type Act, acts, concerns, doAct, readStandings } from "./acts.ts";

type ActDialogProps = {
  act: Act;
  entries: readonly Entry[];
  /** Above all of them. */
  path: string;
  locale: string;
  /** Called with the entries that could not be changed. */
  onDone(failed: Entry[]): void;
  onClose(): void;
};

const noCopies: CopyGroups = { ready: [], outdated: [], scheduled: [] };
const countOf = (entries: readonly unknown[]): string => sayMany(entries.length, "{count} entry", "{count} entries");

/** Says for how many of the selected entries an act does something in the language, and why not for the others. */
export function ActDialog({ act, entries: selected, path, locale, onDone, onClose }: ActDialogProps) {
  // What was asked stays: the list is read again.
  const [entries] = useState(selected);
  const [isTicked, tick] = useState(false);
  const words = acts[act](languageName(locale));
  const { data, error } = useQuery({
    queryKey: ["translations", "selected", locale, entries.map(({ slug }) => slug)],
    queryFn: () => readStandings(entries, path, locale),
    staleTime: 0,
    gcTime: 0,
  });
  const copies = data?.copies ?? new Map();
  const groups = act === "publish" ? groupCopies(entries, copies) : noCopies;
  const concerned = data?.standings.filter(concerns[act]) ?? [];
  const published = new Set([...groups.ready, ...(isTicked ? groups.outdated : [])]);
  const chosen = [...concerned, ...(data?.standings.filter(({ entry }) => published.has(entry)) ?? [])];
  const rest = entries.length - concerned.length - groups.ready.length - groups.outdated.length;
  const same = rest - groups.scheduled.length;
  return (
    <FormDialog
      title={`${words.verb}: ${sayMany(entries.length, "{count} selected entry", "{count} selected entries")}`}
      submit={data ? `${words.verb}: ${countOf(chosen)}` : words.verb}
      isDisabled={chosen.length === 0}
      isDangerous={act === "discard"}
      onSubmit={async () => onDone(await doAct({ act, locale, standings: chosen, isOutdatedTicked: isTicked }, words))}
      onClose={onClose}
    >
      {error && <Failure error={error} />}
      {data ? (
        <Stack gap="sm">
          {concerned.length > 0 && (
            <div>
              <Text size="sm">{countOf(concerned)}</Text>
              <Text size="xs" c="dimmed">
                {words.effect}
              </Text>
            </div>
          )}
          <CopyLines {...groups} copies={copies} isTicked={isTicked} onTick={tick} />
          {same > 0 && (
            <Text size="sm" c="dimmed">
              {sayMany(same, "{count} entry stays as it is", "{count} entries stay as they are")}: {words.rest}.
            </Text>
          )}
        </Stack>
      ) : (
        !error && <Loading rows={1} />
      )}
    </FormDialog>
  );
}
