import { useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import type { JsonObject } from "../api/json.ts";
import {
  checkTranslation,
  discardTranslation,
  type OpenedTranslation,
  openTranslation,
  publishTranslation,
  stageTranslation,
} from "../api/translation.ts";
import { changesOf, isChanged, patchesOf, withChange } from "../model/draft/draft.ts";
import { rereadEntries } from "../query/entry.ts";
import { rereadReleases, useReleases } from "../query/releases.ts";
import { queries, refresh } from "../ui/query.ts";

export const translationKey = (slug: string, locale: string): string[] => ["entry", slug, "in", locale];

/** A translation that is edited: what is stored, what is typed, and the writes. */
export type Translating = {
  base: OpenedTranslation;
  draft: JsonObject;
  edit(change: (before: JsonObject) => JsonObject): void;
  isDirty: boolean;
  isSaving: boolean;
  error: unknown;
  /** Puts what is typed into the working copy. */
  save(): Promise<void>;
  publish(): Promise<void>;
  discard(): Promise<void>;
  /** Says that a value still fits; who publishes nothing stages it again. */
  check(key: string, isLive: boolean): Promise<void>;
};

/** What is typed stays while others write, and while a write is under way. */
export function useTranslation(read: OpenedTranslation): Translating {
  const [base, setBase] = useState(read);
  const [seen, setSeen] = useState(read);
  const [draft, setDraft] = useState(read.own);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useRef(draft);
  latest.current = draft;
  const { chosen } = useReleases();
  const change = changesOf(base.own, draft);
  const isDirty = isChanged(change);
  const take = (now: OpenedTranslation, written: JsonObject): void => {
    setDraft(withChange(now.own, changesOf(written, latest.current)));
    setBase(now);
    setSeen(now);
    queries.setQueryData(translationKey(now.slug, now.locale), now);
  };
  if (read !== seen) {
    setSeen(read);
    if (!isDirty && !isSaving) {
      setBase(read);
      setDraft(read.own);
    }
  }
  const write = async (act: () => Promise<unknown>, written = draft): Promise<void> => {
    setSaving(true);
    setError(undefined);
    try {
      await act();
      take(await openTranslation(base.slug, base.locale), written);
      await Promise.all([rereadEntries(), refresh("staged", "translations"), rereadReleases()]);
    } catch (failure) {
      setError(failure);
      if (isOvertaken(failure)) take(await openTranslation(base.slug, base.locale), base.own);
    } finally {
      setSaving(false);
    }
  };
  /** What is typed, in the copy; the tag after it. */
  const stage = async (): Promise<OpenedTranslation> => {
    let { tag } = base;
    if (isDirty)
      for (const patch of patchesOf(base.own, change))
        tag = await stageTranslation({ ...base, tag }, patch, base.copy?.release ?? chosen?.id);
    return { ...base, tag };
  };
  return {
    base,
    draft,
    edit: setDraft,
    isDirty,
    isSaving,
    error,
    save: async () => (isDirty && !isSaving ? write(stage) : undefined),
    publish: () => write(async () => publishTranslation(await stage())),
    discard: () => write(() => discardTranslation(base)),
    check: (key, isLive) => write(() => (isLive ? checkTranslation(base, [key]) : stageAgain(base, key)), base.own),
  };
}

/** Its value as it is, which is written against what the source says now. */
const stageAgain = (base: OpenedTranslation, key: string): Promise<string> =>
  stageTranslation(base, { data: { [key]: base.own[key] ?? null }, isMergePatch: false }, base.copy?.release);

export const isOvertaken = (error: unknown): boolean =>
  error instanceof OctavoProblem && error.code === "revision_mismatch";
