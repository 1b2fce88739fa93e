import { useEffect, useState } from "react";
import { type OpenedEntry, openEntry, openTranslation, statesOf } from "../api/staged.ts";
import type { ConcurrentChange, StoredState } from "../model/draft/editing.ts";

/** How often it is looked whether the service has published what is due: it does so within a second or two. */
const everyMs = 2000;
/** The longest delay that timers have. */
const longestMs = 2 ** 31 - 1;

/** Shows what has become of an entry, or of a translation, whose time to be published has come. */
export function useDue({ base, copy, translation, tag, follow }: StoredState & Pick<ConcurrentChange, "follow">): void {
  const [, show] = useState(0);
  const dueAt = copy?.publishAt;
  const comesAt = base.published_at;
  const locale = translation?.locale;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `follow` is another one in each render.
  useEffect(() => {
    if (dueAt === undefined) return;
    return after(dueAt, async () => {
      const read: OpenedEntry = await (locale ? openTranslation(base.slug, locale) : openEntry(base.slug));
      const isDone = statesOf(read.tag) !== statesOf(tag);
      if (isDone) follow(read);
      return isDone;
    });
  }, [dueAt, tag, base.slug, locale]);
  useEffect(() => {
    if (comesAt * 1000 <= Date.now()) return;
    return after(comesAt, async () => {
      show((times) => times + 1);
      return true;
    });
  }, [comesAt]);
}

/** Looks from a moment on until it is done; returns what ends that. */
function after(seconds: number, look: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (ms: number): void => {
    timer = setTimeout(() => void next(), Math.min(Math.max(ms, 0), longestMs));
  };
  let isOver = false;
  const next = async (): Promise<void> => {
    const left = seconds * 1000 - Date.now();
    const isDone = left <= 0 && (await look().catch(() => false));
    if (!isDone && !isOver) wait(left > 0 ? left : everyMs);
  };
  wait(seconds * 1000 - Date.now());
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
