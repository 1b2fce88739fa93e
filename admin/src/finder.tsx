import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { FileText, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { type Entry, titleOf } from "./api/entry.ts";
import { type File, pathOf, searchFiles } from "./api/file.ts";
import { parentOf } from "./api/path.ts";
import { Thumbnail } from "./file/thumbnail.tsx";
import { say } from "./language/say.ts";
import { type EntryMarks, marksOf } from "./model/entry/excerpt.ts";
import { emptyFilter, formatFilter } from "./model/filter/filter.ts";
import { formatCount } from "./model/format.ts";
import type { MenuPage } from "./pages.tsx";
import { type FoundEntries, findEntries } from "./query/find-entries.ts";
import { useMay } from "./session-context.ts";
import { addressBelow } from "./ui/entry-address.ts";
import { fileAddress } from "./ui/file-address.ts";
import { addressOf, go } from "./ui/location.tsx";
import { Marked } from "./ui/marked.tsx";

const [store, spotlight] = createSpotlight();

export const openFinder = (): void => spotlight.open();

type FinderProps = { pages: readonly MenuPage[] };

/** Ctrl K: finds pages, entries by their text, and files by name or title. Enter opens the first result. */
export function Finder({ pages }: FinderProps) {
  const [query, setQuery] = useState("");
  const found = pages
    .filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()))
    .map(({ page, label, icon: Icon }) => ({
      id: page,
      label,
      leftSection: <Icon size={18} strokeWidth={1.6} />,
      onClick: () => go(addressOf(page)),
    }));
  const { entries, files, isAsking } = useFound(query.trim());
  const actions = [
    ...(found.length > 0 ? [{ group: say("Pages"), actions: found }] : []),
    ...(entries.length > 0 ? [{ group: say("Entries"), actions: entries }] : []),
    ...(files.length > 0 ? [{ group: say("Files"), actions: files }] : []),
  ];
  const onKeyDown = useFirst(entries.length > 0 ? entries : files, isAsking && found.length === 0);
  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={setQuery}
      actions={actions}
      filter={(_query, all) => all}
      shortcut={["mod + K"]}
      tagsToIgnore={[]}
      triggerOnContentEditable
      nothingFound={isAsking ? say("Searching…") : say("Nothing found")}
      highlightQuery
      scrollable
      maxHeight={420}
      attributes={{ content: { "aria-label": say("Find anything") } }}
      searchProps={{
        leftSection: <Search size={18} />,
        placeholder: say("A page, a word of an entry, or the name of a file"),
        "aria-label": say("What to find"),
        onKeyDown,
      }}
    />
  );
}

/** Selects the first result, as the library does for synchronous results; an early Enter waits for it. */
function useFirst(found: unknown, isWaiting: boolean): (event: KeyboardEvent) => void {
  const isEntered = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list in the document depends on the results.
  useEffect(() => {
    const list = document.getElementById(store.getState().listId);
    const first = list?.querySelector<HTMLElement>("[data-action]");
    if (!first || isWaiting) return;
    list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
    first.setAttribute("data-selected", "true");
    store.updateState((state) => ({ ...state, selected: 0 }));
    if (isEntered.current) first.click();
  }, [found, isWaiting]);
  return ({ key }) => {
    isEntered.current = key === "Enter" && isWaiting;
  };
}

const foundLimit = 8;

const findFiles = async (words: string): Promise<File[]> =>
  (await searchFiles(words, { limit: foundLimit })).items.slice(0, foundLimit);

type FinderResults = { entries: SpotlightActionData[]; files: SpotlightActionData[] };
type Found = { words: string; found: FoundEntries; files: File[] };
const noEntries: FoundEntries = { entries: [], matches: {}, total: 0 };
const nothing: FinderResults = { entries: [], files: [] };

function useFound(query: string): FinderResults & { isAsking: boolean } {
  const [mayEntries, mayFiles] = [useMay("entries"), useMay("files")];
  const isAsked = (mayEntries || mayFiles) && query.length > 1;
  const [settled] = useDebouncedValue(query, 180);
  const { data, isFetching } = useQuery({
    queryKey: ["collection", "found", settled],
    enabled: isAsked && settled === query,
    queryFn: async () => {
      const [found, files] = await Promise.all([
        mayEntries ? findEntries(settled, { limit: foundLimit }) : noEntries,
        mayFiles ? findFiles(settled).catch(() => []) : [],
      ]);
      return { words: settled, found, files };
    },
    select: asActions,
  });
  const isSettled = isAsked && settled === query;
  // Not the results of the previous text: Enter would open one of them.
  return { ...((isSettled && data) || nothing), isAsking: isAsked && (!isSettled || (isFetching && !data)) };
}

const asActions = ({ words, found, files }: Found): FinderResults => {
  const { entries, matches, total = 0 } = found;
  const marks = marksOf(entries, matches);
  const shown = entries.slice(0, foundLimit);
  const rest: SpotlightActionData[] = total > foundLimit ? [allOf(words, total)] : [];
  return {
    entries: [...shown.map((entry) => entryAction(entry, marks[entry.slug])), ...rest],
    files: files.map((file) => ({
      id: `file ${pathOf(file)}`,
      label: file.filename,
      description: parentOf(pathOf(file)) || say("media"),
      leftSection: <Thumbnail file={file} width={32} height={24} />,
      onClick: () => go(fileAddress(pathOf(file))),
    })),
  };
};

const entryAction = (entry: Entry, marks: EntryMarks | undefined): SpotlightActionData => {
  const title = titleOf(entry);
  return {
    id: `entry ${entry.slug}`,
    children: (
      <span className="finder-entry">
        <FileText size={18} strokeWidth={1.6} aria-hidden />
        <span className="name-lines">
          <span dir="auto">
            <Marked text={title} ranges={title === entry.title ? (marks?.title ?? []) : []} />
          </span>
          <small>{entry.slug}</small>
          {marks?.excerpt && (
            <small className="found-excerpt" dir="auto">
              <Marked {...marks.excerpt} />
            </small>
          )}
        </span>
      </span>
    ),
    onClick: () => go(addressOf("entries", entry.slug)),
  };
};

/** Leads to the list of all that have the words. */
const allOf = (words: string, total: number): SpotlightActionData => ({
  id: "all entries",
  label: say("Show all {total} entries", { total: formatCount(total) }),
  highlightQuery: false,
  leftSection: <Search size={18} strokeWidth={1.6} />,
  onClick: () => go(addressBelow("", { filter: formatFilter({ ...emptyFilter, search: words, isDeep: true }) ?? "" })),
});
