import type { Json } from "../../api/json.ts";
import {
  discardStaged,
  type OpenedEntry,
  openEntry,
  placeEntry,
  publishStaged,
  scheduleStaged,
  scheduleUnpublish,
  stageEntry,
  unpublishEntry,
} from "../../api/staged.ts";
import { contentOf, type Publication } from "./published.ts";

/** Of each outdated key, which value is published. */
export type Settled = { key: string; choice: "mine" | "live"; mine: Json | undefined };

/** What brings an entry that is edited on the site, and off it. Each is undefined, or does nothing, when it fails. */
export type Publications = {
  /** Saves what is typed and publishes it. Of the outdated keys of the copy it publishes what was chosen. */
  publish(settled?: readonly Settled[]): Promise<Publication | undefined>;
  /** Saves what is typed for a time, in Unix seconds; null takes a time back. */
  schedule(at: number | null): Promise<void>;
  /** Makes the entry a draft, now or at a time. A working copy stays. */
  unpublish(at: number | undefined): Promise<Publication | undefined>;
  /** Drops the working copy. */
  discardCopy(): Promise<void>;
  /** Saves what is typed, and puts it into a release; null takes it out. */
  place(release: string | null): Promise<void>;
  /** Saves what was chosen of the outdated keys of the copy, without publishing. */
  settle(settled: readonly Settled[]): Promise<void>;
};

type Edited = {
  base: OpenedEntry;
  /** What is typed cannot be saved, or nothing may change until its time. */
  isHeld: boolean;
  isDirty: boolean;
  /** Sends what is typed. */
  patch(onto: OpenedEntry, toCopy: boolean): Promise<OpenedEntry>;
  /** Makes a write and takes its state; undefined when it failed. */
  write(act: () => Promise<OpenedEntry>): Promise<OpenedEntry | undefined>;
};

export function publicationsOf({ base, isHeld, isDirty, patch, write }: Edited): Publications {
  const { translation } = base;
  const isLive = base.copy === undefined && base.entry.visibility !== "draft";
  /** A translation is always published from its copy. */
  const isCopied = base.copy !== undefined || isLive || translation !== undefined;
  /** With what is typed saved where it is published from: in the copy, or in the draft. */
  const saved = async (): Promise<OpenedEntry> => (isDirty ? patch(base, isCopied) : base);
  const publish: Publications["publish"] = async (settled = []) => {
    if (isHeld) return undefined;
    let before: OpenedEntry | undefined = base;
    const after = await write(async () => {
      // An entry that is live takes what is typed at once.
      if (isLive && !translation) return patch(base, false);
      const copied = await settle(await saved(), settled);
      before = isNothingLeft(copied) ? undefined : copied;
      return before ? publishStaged(before) : copied;
    });
    return before && after && { before: contentOf(before), after, isStagedAgain: true };
  };
  const unpublish: Publications["unpublish"] = async (at) => {
    if (at !== undefined) return void (await write(() => scheduleUnpublish(base, at)));
    const after = await write(() => unpublishEntry(base));
    return after && { before: contentOf(base), after, isStagedAgain: false };
  };
  return {
    publish,
    unpublish,
    schedule: async (at) => void (await write(async () => scheduleStaged(at === null ? base : await saved(), at))),
    place: async (release) => void (await write(async () => placeEntry(await saved(), release))),
    settle: async (settled) => void (await write(async () => settle(await saved(), settled))),
    discardCopy: async () => void (await write(() => discardStaged(base).then(() => openAgain(base)))),
  };
}

/** The copy with what was chosen of its outdated keys: staged again upon what is live now, or dropped. */
async function settle(onto: OpenedEntry, settled: readonly Settled[]): Promise<OpenedEntry> {
  const mine = settled.filter(({ choice }) => choice === "mine");
  const values = mine.flatMap(({ key, mine }) => (mine === undefined ? [] : [[key, mine] as const]));
  const removed = mine.flatMap(({ key, mine }) => (mine === undefined ? [[key, null] as const] : []));
  const dropped = settled.flatMap(({ key, choice }) => (choice === "live" ? [key] : []));
  let state = onto;
  if (values.length > 0) state = await stageEntry(state, { data: Object.fromEntries(values), isMergePatch: false });
  if (removed.length > 0) state = await stageEntry(state, { data: Object.fromEntries(removed), isMergePatch: true });
  if (dropped.length === 0) return state;
  await discardStaged(state, dropped);
  return openAgain(state);
}

const openAgain = ({ entry, translation }: OpenedEntry): Promise<OpenedEntry> =>
  openEntry(entry.slug, translation?.locale);

/** Everything that was staged was dropped. */
const isNothingLeft = ({ copy, entry }: OpenedEntry): boolean => copy === undefined && entry.visibility !== "draft";
