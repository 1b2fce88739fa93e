import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, type TaggedEntry, titleOf } from "../api/entry.ts";
import type { JsonObject } from "../api/json.ts";
import type { OpenedEntry } from "../api/staged.ts";
import { CopyLines } from "../desk/copy-lines.tsx";
import { readTagged } from "../desk/tagged.ts";
import { type Copies, groupCopies, publicationOf, readCopy, restorationOf, stageAgain } from "../model/entry/copies.ts";
import { plural } from "../model/format.ts";
import { readCopies } from "../query/copies.ts";
import { rereadAll } from "../query/entry.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { doEach } from "../ui/each.ts";
import { doTogether } from "../ui/together.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { type State, stateOf } from "../ui/visibility.tsx";

/** A change of the public state of several entries. */
export type StateChange = "publish" | "hide" | "draft" | "schedule";

type Words = {
  verb: string;
  done: string;
  failed: string;
  /** The state of entries that need no change. */
  already: State;
  /** The states that change, and what becomes of such entries; those with `ask` only where that is ticked. */
  from: readonly { state: State; ask?: true; effect: string }[];
};

const changes: Record<StateChange, Words> = {
  publish: {
    ...{ verb: "Publish", done: "Published", failed: "Not published", already: "Public" },
    from: [
      { state: "Draft", effect: "Public from now on, or from the publish date where it is in the future." },
      { state: "Hidden", ask: true, effect: "Readable by the id now; listed then, too." },
      { state: "Scheduled", ask: true, effect: "Public now, before the publish date." },
    ],
  },
  hide: {
    ...{ verb: "Hide", done: "Hid", failed: "Not hidden", already: "Hidden" },
    from: [
      { state: "Public", effect: "Not listed any more, still readable by the id." },
      { state: "Scheduled", ask: true, effect: "Not listed when the publish date comes." },
      { state: "Draft", ask: true, effect: "No site can read a draft; hidden, it is readable by the id." },
    ],
  },
  draft: {
    ...{
      verb: "Unpublish",
      done: "Unpublished",
      failed: "Not unpublished",
      already: "Draft",
    },
    from: [
      { state: "Public", effect: "No site can read a draft." },
      { state: "Hidden", effect: "No site can read a draft." },
      { state: "Scheduled", effect: "Not published at the publish date." },
    ],
  },
  schedule: {
    ...{ verb: "Schedule", done: "Scheduled", failed: "Not scheduled", already: "Public" },
    from: [
      { state: "Draft", effect: "Public from then on." },
      { state: "Scheduled", effect: "Public from then on, not from the time that was set before." },
      {
        state: "Hidden",
        ask: true,
        effect: "Readable by the id now; from then on public, and not before.",
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
  const { from, already, verb, ...words } = changes[change];
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
    onDone(await changeStates(choices, words, isOutdatedTicked));
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
        <CopyLines {...grouped} copies={copies} isTicked={isOutdatedTicked} onTick={tickOutdated} />
        {same > 0 && (
          <Text size="sm" c="dimmed">
            {plural(same, ...nouns[already])} {same === 1 ? "stays as it is" : "stay as they are"}.
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

/** The entry takes this state, and its working copy is published. */
type Choice = { entry: Entry; data: JsonObject | undefined; isPublished: boolean };
type Step = { before: TaggedEntry | OpenedEntry; operation: BatchOperation };

const isOpened = (before: Step["before"]): before is OpenedEntry => "copy" in before;

/** Changes the states together, says what failed, and offers to undo it. Resolves to the entries that stayed as they were. */
async function changeStates(
  choices: readonly Choice[],
  words: Pick<Words, "done" | "failed">,
  isOutdatedTicked: boolean,
): Promise<Entry[]> {
  const dataFor = new Map(choices.map(({ entry, data }) => [entry.slug, data]));
  const { found, failures } = await readTagged(
    choices.filter(({ isPublished }) => !isPublished).map(({ entry }) => entry),
    (before, entry) => {
      // What was asked is no longer so.
      if (stateOfEntry(before.entry) !== stateOfEntry(entry)) throw new Error("Someone else changed it meanwhile");
    },
  );
  const opened: OpenedEntry[] = [];
  const copied = choices.filter(({ isPublished }) => isPublished).map(({ entry }) => entry);
  const unread = await doEach(copied, titleOf, async (entry) => opened.push(await readCopy(entry, isOutdatedTicked)));
  const steps = [
    ...opened.flatMap((before) => stepsOf(before, dataFor.get(before.entry.slug))),
    ...found.map((before) => ({
      before,
      operation: patchOf(before.entry, dataFor.get(before.entry.slug), before.tag),
    })),
  ];
  const made = await doTogether(steps, nameOfStep, ({ operation }) => operation);
  const failed = new Set(made.failed.map(({ before }) => before));
  await rereadAll();
  for (const each of [failures, unread, { ...made, failed: [...failed] }]) notifyFailed(words.failed, each);
  // The last one of each.
  const tags = new Map(steps.slice(0, made.etags.length).map(({ before }, i) => [before, made.etags[i] as string]));
  const done = [...tags.keys()];
  if (done.length > 0) offerUndo(words.done, plural(done.length, "entry", "entries"), () => void undo(tags));
  return [...failures.failed, ...unread.failed, ...[...failed].map(({ entry }) => entry)];
}

/** A draft becomes public with its copy. */
function stepsOf(before: OpenedEntry, data: JsonObject | undefined): Step[] {
  const publish = { before, operation: publicationOf(before) };
  if (data === undefined || before.entry.visibility === "draft") return [publish];
  return [publish, { before, operation: patchOf(before.entry, data, "") }];
}

/** Undoes it for all, or for none if one was written to since. */
async function undo(tags: ReadonlyMap<Step["before"], string>): Promise<void> {
  const undone = await doTogether(
    [...tags],
    ([before]) => titleOf(before.entry),
    ([before, tag]) =>
      isOpened(before) ? restorationOf(before, tag) : patchOf(before.entry, stateBefore(before.entry), tag),
  );
  if (undone.failed.length === 0) {
    const staged = await doEach([...tags.keys()].filter(isOpened), nameOfTagged, stageAgain);
    notifyFailed("Not a working copy again", staged);
  }
  await rereadAll();
  notifyFailed("Not undone", undone);
}

const noCopies: Copies = new Map();

/** The working copies that the change concerns; undefined when it does nothing to the entries, which it says. */
export async function copiesFor(change: StateChange, entries: readonly Entry[]): Promise<Copies | undefined> {
  const { already } = changes[change];
  const all = change === "publish" || change === "schedule" ? await readCopies() : noCopies;
  const copies = change === "publish" ? all : new Map([...all].filter(([, { release }]) => release !== undefined));
  const isDone = entries.every((entry) => stateOfEntry(entry) === already && !copies.has(entry.slug));
  if (isDone) notifications.show({ message: `Nothing to change: ${plural(entries.length, ...nouns[already])}` });
  return isDone ? undefined : copies;
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

const nameOfStep = ({ before }: Step): string => titleOf(before.entry);
const nameOfTagged = ({ entry }: TaggedEntry): string => titleOf(entry);

const patchOf = ({ slug }: Entry, data: JsonObject = {}, ifMatch: string): BatchOperation => ({
  ...{ call: "PATCH /api/entries", args: { id: slug, data }, ...(ifMatch !== "" && { ifMatch }) },
});

const stateBefore = ({ visibility, published_at }: Entry): JsonObject => ({ visibility, published_at });
