import { Badge } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Entry, TranslatedState } from "../api/entry.ts";
import { readTranslated } from "../api/translation.ts";
import { say } from "../language/say.ts";
import type { Copies } from "../model/entry/copies.ts";
import { stateOf } from "../model/entry/state.ts";
import { stateWords } from "../model/form/translation.ts";

type CellProps = {
  entry: Entry;
  /** All that are shown: how far they are is read together. */
  entries: readonly Entry[];
  path: string;
  locale: string;
  copies: Copies | undefined;
};

/** How far an entry is translated, and its own state where that keeps it from the site in every language. */
export function TranslationCell({ entry, entries, path, locale, copies }: CellProps) {
  const slugs = entries.map(({ slug }) => slug);
  const { data } = useQuery({
    queryKey: ["collection", "translated", path, locale, slugs],
    queryFn: () => readTranslated(slugs, path, locale),
    placeholderData: keepPreviousData,
  });
  const states: readonly (TranslatedState | "staged")[] = [
    ...(data?.get(entry.slug) ?? []),
    ...(copies?.has(entry.slug) ? (["staged"] as const) : []),
  ];
  const own = stateOf(entry.visibility, entry.published_at);
  return (
    <span className="state-badges">
      {states.map((state) => (
        <Badge key={state} color={stateWords[state].color}>
          {stateWords[state].label}
        </Badge>
      ))}
      {own.label !== "Public" && (
        <Badge color={own.color}>{say("Entry: {label}", { label: own.label.toLowerCase() })}</Badge>
      )}
    </span>
  );
}
