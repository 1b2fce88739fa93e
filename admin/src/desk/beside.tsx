import { ActionIcon, Group, Text, Tooltip } from "@mantine/core";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { type Entry, listEntries } from "../api/entry.ts";
import { say, sayMany } from "../language/say.ts";
import { type EntryFilter, formatFilter, toQueryIn } from "../model/filter/filter.ts";
import { addressBelow } from "../ui/entry-address.ts";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, go, Link } from "../ui/location.tsx";

/** The list that somebody came from: the entries before and after the one that is open. */

type Listed = {
  path: string;
  filter: EntryFilter;
  locale?: string | undefined;
  slugs: string[];
  total: number;
  cursor?: string | undefined;
};

const key = "octavo.listed";

/** Kept in this tab, so that a reload keeps it. */
function keepListed(listed: Listed): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(listed));
  } catch {
    // Then there is none.
  }
}

type ListedPages = {
  items: readonly Entry[] | undefined;
  total: number | undefined;
  list: { data?: { pages: { cursor?: string | undefined }[] } | undefined; isPlaceholderData?: boolean };
};

/** Keeps the list that is shown as the one that its entries are opened from. */
export function useListed(
  path: string,
  filter: EntryFilter,
  locale: string | undefined,
  { items, total, list }: ListedPages,
): void {
  const cursor = list.data?.pages.at(-1)?.cursor;
  const isOld = list.isPlaceholderData ?? false;
  useEffect(() => {
    if (!items || isOld) return;
    keepListed({ path, filter, locale, slugs: items.map(({ slug }) => slug), total: total ?? 0, cursor });
  }, [items, isOld, path, filter, locale, total, cursor]);
}

function readListed(): Listed | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

const pageEntries = 50;

/** Whether `slug` and what follows it are in the list; reads its next page where the entry is the last one so far. */
async function nextOf(listed: Listed, slug: string): Promise<string | undefined> {
  const at = listed.slugs.indexOf(slug);
  if (at < listed.slugs.length - 1 || listed.cursor === undefined) return listed.slugs[at + 1];
  const { path, filter, locale, cursor } = listed;
  const { items, cursor: next } = await listEntries(path, { ...toQueryIn(filter, locale), limit: pageEntries, cursor });
  const slugs = [...listed.slugs, ...items.map((entry) => entry.slug)];
  keepListed({ ...listed, slugs, cursor: next });
  return slugs[at + 1];
}

type BesideProps = { slug: string /** As the address says it. */; locale?: string | undefined };

/** Leads to the entries beside this one, in the order of the list; nothing for an entry that was opened otherwise. */
export function Beside({ slug, locale }: BesideProps) {
  const [isBusy, setBusy] = useState(false);
  const listed = readListed();
  const at = listed?.slugs.indexOf(slug) ?? -1;
  if (!listed || at < 0) return null;
  const { path, filter, slugs, total, cursor } = listed;
  const text = formatFilter(filter);
  const follow = async (): Promise<void> => {
    setBusy(true);
    const next = await nextOf(listed, slug).catch(() => undefined);
    setBusy(false);
    if (next !== undefined) go(addressOf("entries", next, inLocale(locale)));
  };
  const before = slugs[at - 1];
  return (
    <Group gap={2} wrap="nowrap" role="group" aria-label={say("In the list")}>
      <Tooltip label={say("Previous entry")}>
        <ActionIcon
          aria-label={say("Previous entry")}
          disabled={before === undefined}
          onClick={() => before !== undefined && go(addressOf("entries", before, inLocale(locale)))}
        >
          <ChevronLeft size={17} />
        </ActionIcon>
      </Tooltip>
      <Text
        size="xs"
        component={Link}
        href={addressBelow(path, { ...(text && { filter: text }), ...inLocale(locale) })}
        title={say("Back to the list")}
      >
        {sayMany(total, "{at} of {count} entry", "{at} of {count} entries", { at: at + 1 })}
      </Text>
      <Tooltip label={say("Next entry")}>
        <ActionIcon
          aria-label={say("Next entry")}
          loading={isBusy}
          disabled={at === slugs.length - 1 && cursor === undefined}
          onClick={() => void follow()}
        >
          <ChevronRight size={17} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
