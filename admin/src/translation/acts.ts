import { notifications } from "@mantine/notifications";
import type { BatchOperation, StagedRow } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { readTranslations, type TranslationStanding } from "../api/translation.ts";
import { say, sayMany } from "../language/say.ts";
import { doEach } from "../model/bulk/each.ts";
import { doTogether } from "../model/bulk/together.ts";
import { type Copies, publicationOf, readCopy } from "../model/entry/copies.ts";
import { readCopies } from "../query/copies.ts";
import { rereadAll } from "../query/entry.ts";
import { rereadReleases } from "../query/releases.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";

/** What is done with what several entries say in one language; their source, and other languages, stay as they are. */
export type Act = "publish" | "unpublish" | "check" | "discard";

/** What an entry says in the language. */
export type Standing = TranslationStanding & { entry: Entry; copy: StagedRow | undefined };

type Words = { verb: string; done: string; failed: string };
type ActRow = (language: string) => Words & {
  /** What becomes of each that it concerns; of copies that are published CopyLines says it. */
  effect: string;
  /** Why the others stay as they are. */
  rest: string;
};

export const acts: Record<Act, ActRow> = {
  publish: (language) => ({
    ...{
      verb: say("Publish {language}", { language }),
      done: say("Published in {language}:", { language }),
      failed: say("Not published"),
    },
    ...{
      effect: say("A draft: on the site in {language} from now on.", { language }),
      rest: say("nothing to publish"),
    },
  }),
  unpublish: (language) => ({
    ...{
      verb: say("Unpublish {language}", { language }),
      done: say("Unpublished in {language}:", { language }),
      failed: say("Not unpublished"),
    },
    effect: say("Readers of {language} see another language.", { language }),
    rest: say("not on the site in {language}", { language }),
  }),
  check: () => ({
    ...{ verb: say("Still right"), done: say("Still right:"), failed: say("Not said") },
    ...{ effect: say("Outdated: what is translated fits the source as it is now."), rest: say("not outdated") },
  }),
  discard: (language) => ({
    ...{ verb: say("Discard changes"), done: say("Discarded changes:"), failed: say("Not discarded") },
    effect: say("What is not published yet in {language} is lost.", { language }),
    rest: say("nothing to discard"),
  }),
};

/** Whether the act does something with it, apart from the copies that it publishes. */
export const concerns: Record<Act, (standing: Standing) => boolean> = {
  publish: ({ copy, visibility }) => copy === undefined && visibility === "draft",
  unpublish: ({ exists, visibility }) => exists && visibility !== "draft",
  check: ({ outdated }) => outdated.length > 0,
  discard: ({ copy }) => copy !== undefined,
};

/** How these stand in the language, as they are now; `path` is above all of them. */
export async function readStandings(
  entries: readonly Entry[],
  path: string,
  locale: string,
): Promise<{ standings: Standing[]; copies: Copies }> {
  const slugs = entries.map(({ slug }) => slug);
  const [rows, copies] = await Promise.all([readTranslations(slugs, path, locale), readCopies(locale)]);
  const standings = entries.flatMap((entry) => {
    const row = rows.get(entry.slug);
    return row ? [{ ...row, entry, copy: copies.get(entry.slug) }] : [];
  });
  return { standings, copies };
}

/** An act in a language on these; of copies those that are published, with or without the outdated ones. */
export type Chosen = { act: Act; locale: string; standings: readonly Standing[]; isOutdatedTicked: boolean };

type Step = { entry: Entry; operation: BatchOperation };

/** Does it to all of them, or to none, and says what failed. Resolves to the entries that stayed as they were. */
export async function doAct({ act, locale, standings, isOutdatedTicked }: Chosen, words: Words): Promise<Entry[]> {
  const steps: Step[] = [];
  const unread = await doEach(
    standings,
    ({ entry }) => titleOf(entry),
    async (standing) => {
      const { entry, copy } = standing;
      const isCopied = act === "publish" && copy !== undefined;
      const operation = isCopied
        ? publicationOf(await readCopy(entry, isOutdatedTicked, locale), locale)
        : operationOf(act, standing, locale);
      steps.push({ entry, operation });
    },
  );
  const made = await doTogether(steps, nameOfStep, ({ operation }) => operation);
  await rereadLanguage();
  notifyFailed(words.failed, unread);
  notifyFailed(words.failed, made);
  const tags = new Map(steps.slice(0, made.etags.length).map(({ entry }, i) => [entry, made.etags[i] ?? ""]));
  const count = sayMany(tags.size, "{count} entry", "{count} entries");
  const undone = standings.filter(({ entry }) => tags.has(entry));
  if (act === "unpublish" && tags.size > 0) offerUndo(words.done, count, () => void republish(undone, locale, tags));
  else if (tags.size > 0) notifications.show({ message: `${words.done} ${count}` });
  return [...unread.failed.map(({ entry }) => entry), ...made.failed.map(({ entry }) => entry)];
}

const nameOfStep = ({ entry }: Step): string => titleOf(entry);
const rereadLanguage = (): Promise<unknown> =>
  Promise.all([rereadAll(), rereadReleases(), refresh("staged", "translations")]);

function operationOf(act: Act, { entry, revision, outdated }: Standing, locale: string): BatchOperation {
  const at = { id: entry.slug, locale };
  if (act === "discard") return { call: "DELETE /api/entries/staged", args: at };
  const ifMatch = `"${(revision ?? 0).toString(36)}"`;
  if (act === "publish") return { call: "POST /api/entries/publish", args: at };
  const more = act === "check" ? { checked: outdated } : { data: { visibility: "draft" } };
  return { call: "PATCH /api/entries/translations", args: { ...at, ...more }, ifMatch };
}

/** Makes them public again as they were, all or none: none if one was written to since. */
async function republish(
  standings: readonly Standing[],
  locale: string,
  tags: ReadonlyMap<Entry, string>,
): Promise<void> {
  const undone = await doTogether(standings, nameOfStandings, ({ entry, visibility, published_at }) => ({
    call: "PATCH /api/entries/translations",
    args: { id: entry.slug, locale, data: { visibility, published_at } },
    ifMatch: tags.get(entry) ?? "",
  }));
  await rereadLanguage();
  notifyFailed(say("Not undone"), undone);
}

const nameOfStandings = ({ entry }: Standing): string => titleOf(entry);
