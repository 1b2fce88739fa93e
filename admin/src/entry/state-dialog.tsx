import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { Entry } from "../api/entry.ts";
import { CopyLines } from "../desk/copy-lines.tsx";
import { say, sayMany } from "../language/say.ts";
import { type Copies, groupCopies } from "../model/entry/copies.ts";
import type { State } from "../model/entry/state.ts";
import {
  dataOf,
  nouns,
  type StateChange,
  stateChanges,
  stateOfEntry,
  type Words,
} from "../model/entry/state-change.ts";
import { readCopies } from "../query/copies.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { changeStates } from "./change-states.ts";

type StateDialogProps = {
  change: StateChange;
  entries: readonly Entry[];
  /** The working copies there are, which a publication takes along; of another change those in releases, which stay. */
  copies: Copies;
  /** Called with the entries that could not be changed. */
  onDone(failed: Entry[]): void;
  onClose(): void;
};

/** Says how many entries of which state change, asks for those that somebody set apart, and offers to undo the change. */
export function StateDialog({ change, entries: selected, copies, onDone, onClose }: StateDialogProps) {
  // What was asked stays: the list is read again.
  const [entries] = useState(selected);
  const { from, already, verb, ...words } = stateChanges[change];
  const [ticked, setTicked] = useState<ReadonlySet<State>>(new Set());
  const [when, setWhen] = useState("");
  const at = Math.floor(Date.parse(when) / 1000);
  const isTimed = change !== "schedule" || at > Date.now() / 1000;
  // What is in a release goes live with that.
  const loose = entries.filter(({ slug }) => copies.get(slug)?.release === undefined);
  const groups = from
    .map((group) => ({ ...group, entries: loose.filter((entry) => stateOfEntry(entry) === group.state) }))
    .filter((group) => group.entries.length > 0);
  const [isOutdatedTicked, tickOutdated] = useState(false);
  const grouped = groupCopies(entries, copies);
  const published = new Set([...grouped.ready, ...(isOutdatedTicked ? grouped.outdated : [])]);
  const changed = groups.filter(({ state, ask }) => !ask || ticked.has(state)).flatMap((group) => group.entries);
  const chosen = [...new Set([...changed, ...published])];
  const same = entries.filter((entry) => stateOfEntry(entry) === already && !copies.has(entry.slug)).length;
  const send = async (): Promise<void> => {
    const choices = chosen.map((entry) => ({
      entry,
      data: changed.includes(entry) ? dataOf(change, entry, at) : undefined,
      isPublished: published.has(entry),
    }));
    onDone(await changeStates(choices, words, isOutdatedTicked, copies));
  };
  return (
    <FormDialog
      title={say("{verb} {entries}", {
        verb,
        entries: sayMany(entries.length, "{count} selected entry", "{count} selected entries"),
      })}
      submit={say("{verb} {entries}", { verb, entries: sayMany(chosen.length, "{count} entry", "{count} entries") })}
      isDisabled={chosen.length === 0 || !isTimed}
      onSubmit={send}
      onClose={onClose}
    >
      <Stack gap="sm">
        {change === "schedule" && (
          <TextInput
            type="datetime-local"
            label={say("Goes live")}
            value={when}
            error={when !== "" && !isTimed ? say("This is in the past") : undefined}
            onChange={(event) => setWhen(event.currentTarget.value)}
            data-autofocus
            required
          />
        )}
        {groups.map((group) => (
          <Group key={group.state} {...group} ticked={ticked} onTick={setTicked} />
        ))}
        <CopyLines {...grouped} copies={copies} isTicked={isOutdatedTicked} onTick={tickOutdated} />
        {same > 0 && <Same count={same} entries={nouns[already](same)} />}
      </Stack>
    </FormDialog>
  );
}

type GroupProps = Words["from"][number] & {
  entries: readonly Entry[];
  ticked: ReadonlySet<State>;
  onTick(ticked: ReadonlySet<State>): void;
};

function Group({ state, ask, effect, entries: { length }, ticked, onTick }: GroupProps) {
  const label = nouns[state](length);
  if (!ask)
    return (
      <div>
        <Text size="sm">{label}</Text>
        <Text size="xs" c="dimmed">
          {effect}
        </Text>
      </div>
    );
  return (
    <Checkbox
      label={say("Also {label}", { label })}
      description={effect}
      checked={ticked.has(state)}
      onChange={(event) => {
        const others = [...ticked].filter((other) => other !== state);
        onTick(new Set(event.currentTarget.checked ? [...others, state] : others));
      }}
    />
  );
}

const Same = ({ count, entries }: { count: number; entries: string }) => (
  <Text size="sm" c="dimmed">
    {sayMany(count, "{entries} stays as it is.", "{entries} stay as they are.", { entries })}
  </Text>
);

const noCopies: Copies = new Map();

/** The working copies that the change concerns; undefined when it does nothing to the entries, which it says. */
export async function copiesFor(change: StateChange, entries: readonly Entry[]): Promise<Copies | undefined> {
  const { already } = stateChanges[change];
  const all = change === "publish" || change === "schedule" ? await readCopies() : noCopies;
  const copies = change === "publish" ? all : new Map([...all].filter(([, { release }]) => release !== undefined));
  const isDone = entries.every((entry) => stateOfEntry(entry) === already && !copies.has(entry.slug));
  if (isDone)
    notifications.show({
      message: say("Nothing to change: {entries}", { entries: nouns[already](entries.length) }),
    });
  return isDone ? undefined : copies;
}
