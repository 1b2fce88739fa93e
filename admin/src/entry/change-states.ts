import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, type TaggedEntry, titleOf } from "../api/entry.ts";
import type { JsonObject } from "../api/json.ts";
import { type OpenedEntry, withoutCopy } from "../api/staged.ts";
import { say, sayMany } from "../language/say.ts";
import { doEach } from "../model/bulk/each.ts";
import { readTagged } from "../model/bulk/tagged.ts";
import { doTogether } from "../model/bulk/together.ts";
import { type Copies, publicationOf, readCopy, restorationOf, stageAgain } from "../model/entry/copies.ts";
import { stateOfEntry, type Words } from "../model/entry/state-change.ts";
import { rereadAll } from "../query/entry.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";

/** The entry takes this state, and its working copy is published. */
type Choice = { entry: Entry; data: JsonObject | undefined; isPublished: boolean };
type Step = { before: TaggedEntry | OpenedEntry; operation: BatchOperation };

const isOpened = (before: Step["before"]): before is OpenedEntry => "copy" in before;

/** Changes the states together, says what failed, and offers to undo it. Resolves to the entries that stayed as they were. */
export async function changeStates(
  choices: readonly Choice[],
  words: Pick<Words, "done" | "failed">,
  isOutdatedTicked: boolean,
  copies: Copies,
): Promise<Entry[]> {
  const dataFor = new Map(choices.map(({ entry, data }) => [entry.slug, data]));
  const { found, failures } = await readTagged(
    choices.filter(({ isPublished }) => !isPublished).map(({ entry }) => entry),
    (before, entry) => {
      // What was asked is no longer so.
      if (stateOfEntry(before.entry) !== stateOfEntry(entry)) throw new Error(say("Someone else changed it meanwhile"));
    },
  );
  const opened: OpenedEntry[] = [];
  const copied = choices.filter(({ isPublished }) => isPublished).map(({ entry }) => entry);
  const unread = await doEach(copied, titleOf, async (entry) => opened.push(await readCopy(entry, isOutdatedTicked)));
  const steps = [
    ...opened.flatMap((before) => stepsOf(before, dataFor.get(before.entry.slug))),
    ...found.map((before) => ({
      before,
      operation: operationOf(before, dataFor.get(before.entry.slug), copies.has(before.entry.slug)),
    })),
  ];
  const made = await doTogether(steps, nameOfStep, ({ operation }) => operation);
  const failed = new Set(made.failed.map(({ before }) => before));
  await rereadAll();
  for (const each of [failures, unread, { ...made, failed: [...failed] }]) notifyFailed(words.failed, each);
  // The last one of each.
  const tags = new Map(steps.slice(0, made.etags.length).map(({ before }, i) => [before, made.etags[i] as string]));
  const done = [...tags.keys()];
  if (done.length > 0)
    offerUndo(words.done, sayMany(done.length, "{count} entry", "{count} entries"), () => void undo(tags));
  return [...failures.failed, ...unread.failed, ...[...failed].map(({ entry }) => entry)];
}

/** A draft is published, which dates it, unless that would take along a copy that stays. */
function operationOf(before: TaggedEntry, data: JsonObject | undefined, hasCopy: boolean): BatchOperation {
  const { entry, tag } = before;
  const isPublished = entry.visibility === "draft" && data?.visibility === "visible" && data.published_at === undefined;
  return isPublished && !hasCopy ? publishing(before) : patchOf(entry, data, tag);
}

const publishing = (before: TaggedEntry): BatchOperation => ({
  call: "POST /api/entries/publish",
  args: { id: before.entry.slug },
  ...(before.tag !== "" && { ifMatch: withoutCopy(before).tag }),
});

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
    notifyFailed(say("Not a working copy again"), staged);
  }
  await rereadAll();
  notifyFailed(say("Not undone"), undone);
}

const nameOfStep = ({ before }: Step): string => titleOf(before.entry);
const nameOfTagged = ({ entry }: TaggedEntry): string => titleOf(entry);

const patchOf = ({ slug }: Entry, data: JsonObject = {}, ifMatch: string): BatchOperation => ({
  ...{ call: "PATCH /api/entries", args: { id: slug, data }, ...(ifMatch !== "" && { ifMatch }) },
});

const stateBefore = ({ visibility, published_at }: Entry): JsonObject => ({ visibility, published_at });
