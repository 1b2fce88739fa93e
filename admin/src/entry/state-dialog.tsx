import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, type TaggedEntry, titleOf } from "../api/entry.ts";
import type { JsonObject } from "../api/json.ts";
import { readTagged } from "../desk/tagged.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { plural } from "../ui/format.ts";
import { doTogether } from "../ui/together.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { rereadAll } from "./query.ts";
import { type State, stateOf } from "./visibility.tsx";

/** A change of the public state of several entries. */
export type StateChange = "publish" | "hide" | "draft" | "schedule";

type Words = {
  verb: string;
  done: string;
  failed: string;
  /** The state of entries that need no change. */
  already: State;
  alreadyWords: string;
  /** The states that change, and what becomes of such entries; those with `ask` only where that is ticked. */
  from: readonly { state: State; ask?: true; effect: string }[];
};

const changes: Record<StateChange, Words> = {
  publish: {
    ...{ verb: "Publish", done: "Published", failed: "Not published", already: "Public", alreadyWords: "public" },
    from: [
      { state: "Draft", effect: "Public from now on, or from the publish date where it is in the future." },
      { state: "Hidden", ask: true, effect: "Readable by its id now; it would be listed, too." },
      { state: "Scheduled", ask: true, effect: "It would be public now, before its publish date." },
    ],
  },
  hide: {
    ...{ verb: "Hide", done: "Hid", failed: "Not hidden", already: "Hidden", alreadyWords: "hidden" },
    from: [
      { state: "Public", effect: "Not listed any more, still readable by its id." },
      { state: "Scheduled", ask: true, effect: "It would not be listed when its publish date comes." },
      { state: "Draft", ask: true, effect: "Sites cannot read it now; they could, by its id." },
    ],
  },
  draft: {
    ...{
      verb: "Unpublish",
      done: "Unpublished",
      failed: "Not unpublished",
      already: "Draft",
      alreadyWords: "draft",
    },
    from: [
      { state: "Public", effect: "Sites cannot read it any more." },
      { state: "Hidden", effect: "Sites cannot read it any more." },
      { state: "Scheduled", effect: "It is not published at its publish date." },
    ],
  },
  schedule: {
    ...{ verb: "Schedule", done: "Scheduled", failed: "Not scheduled", already: "Public", alreadyWords: "public" },
    from: [
      { state: "Draft", effect: "Public from then on." },
      { state: "Scheduled", effect: "Public from then on, not from the time that was set before." },
      {
        state: "Hidden",
        ask: true,
        effect: "Readable by its id now; it would be public from then on, and not before.",
      },
    ],
  },
};

const nouns: Record<State, readonly [one: string, many: string]> = {
  Public: ["public entry", "public entries"],
  Hidden: ["hidden entry", "hidden entries"],
  Scheduled: ["scheduled entry", "scheduled entries"],
  Draft: ["draft", "drafts"],
};

const stateOfEntry = (entry: Entry): State => stateOf(entry.visibility, entry.published_at).label;

type StateDialogProps = {
  change: StateChange;
  entries: readonly Entry[];
  /** Called with the entries that could not be changed. */
  onDone(failed: Entry[]): void;
  onClose(): void;
};

/** Says how many entries of which state change, asks for those that somebody set apart, and offers to undo the change. */
export function StateDialog({ change, entries: selected, onDone, onClose }: StateDialogProps) {
  // What was asked stays: the list is read again.
  const [entries] = useState(selected);
  const { from, already, alreadyWords, verb, ...words } = changes[change];
  const [ticked, setTicked] = useState<ReadonlySet<State>>(new Set());
  const [when, setWhen] = useState("");
  const at = Math.floor(Date.parse(when) / 1000);
  const isTimed = change !== "schedule" || at > Date.now() / 1000;
  const groups = from
    .map((group) => ({ ...group, entries: entries.filter((entry) => stateOfEntry(entry) === group.state) }))
    .filter((group) => group.entries.length > 0);
  const chosen = groups.filter(({ state, ask }) => !ask || ticked.has(state)).flatMap((group) => group.entries);
  const same = entries.filter((entry) => stateOfEntry(entry) === already).length;
  const send = async (): Promise<void> => {
    const failed = await changeStates(chosen, words, (entry) => dataOf(change, entry, at));
    onDone(failed);
  };
  return (
    <FormDialog
      title={`${verb} ${plural(entries.length, "selected entry", "selected entries")}`}
      submit={`${verb} ${plural(chosen.length, "entry", "entries")}`}
      isDisabled={chosen.length === 0 || !isTimed}
      onSubmit={send}
      onClose={onClose}
    >
      <Stack gap="sm">
        {change === "schedule" && (
          <TextInput
            type="datetime-local"
            label="Goes live"
            value={when}
            error={when !== "" && !isTimed ? "This is in the past" : undefined}
            onChange={(event) => setWhen(event.currentTarget.value)}
            data-autofocus
            required
          />
        )}
        {groups.map((group) => (
          <Group key={group.state} {...group} ticked={ticked} onTick={setTicked} />
        ))}
        {same > 0 && (
          <Text size="sm" c="dimmed">
            {same === 1 ? "1 is" : `${same} are`} {alreadyWords} already.
          </Text>
        )}
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
  const [one, many] = nouns[state];
  const label = plural(length, one, many);
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
      label={`Also ${label}`}
      description={effect}
      checked={ticked.has(state)}
      onChange={(event) => {
        const others = [...ticked].filter((other) => other !== state);
        onTick(new Set(event.currentTarget.checked ? [...others, state] : others));
      }}
    />
  );
}

/** Changes the states together, says what failed, and offers to undo it. Resolves to the entries that stayed as they were. */
async function changeStates(
  chosen: readonly Entry[],
  words: Pick<Words, "done" | "failed">,
  dataFor: (entry: Entry) => JsonObject,
): Promise<Entry[]> {
  const { found, failures } = await readTagged(chosen, (before, entry) => {
    // What was asked is no longer so.
    if (stateOfEntry(before.entry) !== stateOfEntry(entry)) throw new Error("Someone else changed it meanwhile");
  });
  const made = await doTogether(found, nameOfTagged, ({ entry, tag }) => patchOf(entry, dataFor(entry), tag));
  const done = found.filter((before) => !made.failed.includes(before));
  await rereadAll();
  notifyFailed(words.failed, failures);
  notifyFailed(words.failed, made);
  const tags = new Map(done.map((before, i) => [before, made.etags[i] as string]));
  const undo = async (): Promise<void> => {
    // Unless it was written to since.
    const undone = await doTogether(done, nameOfTagged, (before) =>
      patchOf(before.entry, stateBefore(before.entry), tags.get(before) as string),
    );
    await rereadAll();
    notifyFailed("Not undone", undone);
  };
  if (done.length > 0) offerUndo(words.done, plural(done.length, "entry", "entries"), () => void undo());
  return [...failures.failed, ...made.failed.map(({ entry }) => entry)];
}

/** True when the change does nothing to the entries; then it says so. */
export function isDoneAlready(change: StateChange, entries: readonly Entry[]): boolean {
  const { already, alreadyWords } = changes[change];
  const isDone = entries.every((entry) => stateOfEntry(entry) === already);
  if (isDone) notifications.show({ message: `Already ${alreadyWords}` });
  return isDone;
}

function dataOf(change: StateChange, entry: Entry, at: number): JsonObject {
  if (change === "schedule") return { visibility: "visible", published_at: at };
  if (change === "draft") return { visibility: "draft" };
  if (change === "hide") return { visibility: "hidden" };
  const nowSeconds = Math.floor(Date.now() / 1000);
  return {
    visibility: "visible",
    ...(stateOfEntry(entry) === "Scheduled" && { published_at: Math.min(entry.published_at, nowSeconds) }),
  };
}

const nameOfTagged = ({ entry }: TaggedEntry): string => titleOf(entry);

const patchOf = ({ slug }: Entry, data: JsonObject, ifMatch: string): BatchOperation => ({
  ...{ call: "PATCH /api/entries", args: { id: slug, data }, ...(ifMatch !== "" && { ifMatch }) },
});

const stateBefore = ({ visibility, published_at }: Entry): JsonObject => ({ visibility, published_at });
