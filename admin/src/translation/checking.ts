import { type OpenedTranslation, openEntry, stageEntry } from "../api/staged.ts";
import { checkTranslation } from "../api/translation.ts";
import type { ConcurrentChange } from "../model/draft/editing.ts";
import { rereadEntries } from "../query/entry.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";

type Checking = { opened: OpenedTranslation; isLive: boolean } & Pick<ConcurrentChange, "follow">;

/** Says that a value still fits; who publishes nothing stages it again as it is, against what the source says now. */
export const checking =
  ({ opened, isLive, follow }: Checking) =>
  (key: string): void => {
    const { entry, copy, translation } = opened;
    const data = { [key]: entry[key] ?? null };
    const place = { slug: entry.slug, locale: translation.locale };
    const write = isLive
      ? checkTranslation(place, [key])
      : stageEntry(opened, { data, isMergePatch: false }, copy?.release);
    void write
      .then(async () => {
        follow(await openEntry(place.slug, place.locale));
        await Promise.all([rereadEntries(), refresh("staged", "translations")]);
      })
      .catch(notifyFailure);
  };
