import { Button, Group } from "@mantine/core";
import { writesLive } from "../api/session.ts";
import type { StateWords } from "../model/entry/state-words.ts";
import { formatMoment } from "../model/format.ts";
import { languageName } from "../model/locale.ts";
import { PublishWords } from "../publish/publish-words.tsx";
import { useSession } from "../session-context.ts";
import type { Translating } from "./use-translation.ts";

type BarProps = { editing: Translating; isFrozen: boolean; onDiscard(): void };

/** How a translation stands, and how it gets on the site: the language is named where it is published. */
export function TranslationBar({ editing, isFrozen, onDiscard }: BarProps) {
  const { base, isDirty, isSaving } = editing;
  const { copy, row, locale } = base;
  const mayPublish = writesLive(useSession(), locale);
  const isReleased = copy?.release !== undefined;
  const isLive = row.exists && row.visibility !== "draft" && copy === undefined;
  const isNothing = !isDirty && (isLive || (copy === undefined && !row.exists));
  return (
    <section className="publish-bar" aria-label="Publishing">
      <PublishWords words={wordsOf(base)} copy={copy}>
        Save these again, or discard the changes.
      </PublishWords>
      <Group gap="xs" justify="flex-end" ml="auto">
        {copy && !isFrozen && (
          <Button size="xs" variant="default" disabled={isSaving || isDirty} onClick={onDiscard}>
            Discard changes
          </Button>
        )}
        {!isFrozen && (
          <Button
            size="xs"
            variant={mayPublish && !isReleased ? "default" : "filled"}
            disabled={!isDirty || isSaving}
            onClick={() => void editing.save()}
          >
            {mayPublish ? "Save draft" : "Hand over"}
          </Button>
        )}
        {mayPublish && !isFrozen && !isReleased && (
          <Button size="xs" disabled={isNothing} loading={isSaving} onClick={() => void editing.publish()}>
            Publish {languageName(locale)}
          </Button>
        )}
      </Group>
    </section>
  );
}

function wordsOf({ copy, row, locale }: Translating["base"]): StateWords {
  const language = languageName(locale);
  if (copy?.publishAt !== undefined)
    return { title: "Scheduled", meaning: `${language} goes live ${formatMoment(copy.publishAt)}.`, color: "blue" };
  if (copy) return { title: "Unpublished changes", meaning: `Not on the site yet in ${language}.`, color: "yellow" };
  if (!row.exists)
    return { title: "Not translated", meaning: `Readers of ${language} see another language.`, color: "gray" };
  if (row.visibility === "draft")
    return { title: "Draft", meaning: `Readers of ${language} see another language.`, color: "yellow" };
  if (row.outdated.length > 0) return { title: "Outdated", meaning: `Its source has changed since.`, color: "red" };
  if (row.missing.length > 0)
    return { title: "Incomplete", meaning: `Fields are missing in ${language}.`, color: "gray" };
  return { title: "Published", meaning: `Everybody reads it in ${language}.`, color: "teal" };
}
