import { useEffect, useRef, useState } from "react";
import type { Draft } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit, LocalCopy, SaveState, StoredState } from "../model/draft/editing.ts";
import { usePreference } from "../session/preference.ts";
import { useWrites } from "../session-context.ts";

const idleMs = 3000;
const justMs = 60_000;

export type Autosave = {
  isOn: boolean;
  set(isOn: boolean): void;
  /** It waits for the person: after a refusal or a conflict, and where saving would publish. */
  isStopped: boolean;
  /** It saved a moment ago. */
  isJust: boolean;
};

/** What it needs of the editor. */
type AutosaveEditing = StoredState &
  DraftEdit &
  SaveState &
  Pick<LocalCopy, "found"> &
  Pick<ConcurrentChange, "theirs">;

/** Whether it saves by itself, as it does unless the person has switched it off. */
export const useAutosaveChoice = () => usePreference("autosave", true);

/**
 * Saves what is typed when nothing was typed for some seconds: a draft as it is, of a live entry a working copy. Never
 * publishes.
 */
export function useAutosave(editing: AutosaveEditing): Autosave {
  const { base, copy, translation, draft, isDirty, isSaving, error, theirs, found, fault } = editing;
  const [isOn, set] = useAutosaveChoice();
  const [savedAt, setSavedAt] = useState<Draft>();
  const isHeld = !useWrites(translation?.locale) || copy?.publishAt !== undefined;
  const isDraft = base.visibility === "draft" && copy === undefined;
  const isStopped =
    error !== undefined || theirs !== undefined || found !== undefined || (isDraft && wouldPublish(base, draft));
  const latest = useRef(editing);
  latest.current = editing;
  const isReady = isOn && isDirty && !isHeld && !isStopped && !isSaving && fault === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the draft begins the wait again.
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => {
      void latest.current.save().then(() => setSavedAt(latest.current.draft));
    }, idleMs);
    return () => clearTimeout(timer);
  }, [isReady, draft]);
  useEffect(() => {
    if (savedAt === undefined) return;
    const timer = setTimeout(() => setSavedAt(undefined), justMs);
    return () => clearTimeout(timer);
  }, [savedAt]);
  return { isOn, set, isStopped: isOn && isDirty && isStopped, isJust: isOn && !isDirty && savedAt !== undefined };
}

/** A draft of which somebody chose to make it public: he says when. */
const wouldPublish = (base: { visibility: unknown; published_at: unknown }, draft: Draft): boolean =>
  draft.visibility !== base.visibility || draft.published_at !== base.published_at;
