import { ActionIcon, Anchor, Button, Indicator, Menu, NativeSelect } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { BookOpenText, Ellipsis, FileText, History, ListFilter, Search, Sheet } from "lucide-react";
import { lazy, Suspense, startTransition, useEffect, useMemo, useRef, useState } from "react";
import type { EntryChild } from "../../../client/src/client.ts";
import { type Entry, listEntries, readChild, titleOf } from "../api/entry.ts";
import { pathsBelow, reaches } from "../api/session.ts";
import { useListed } from "../desk/beside.tsx";
import { type Columns, ColumnsButton, columnsOf, useColumns, usualColumns } from "../desk/columns.tsx";
import { useEverySelection } from "../desk/every.tsx";
import type { SavedView } from "../desk/views.ts";
import { ViewsMenu } from "../desk/views-menu.tsx";
import { say, sayMany } from "../language/say.ts";
import {
  type EntryFilter,
  emptyFilter,
  formatFilter,
  isWhole,
  parseFilter,
  toQueryIn,
} from "../model/filter/filter.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { isHidden } from "../trash/delete-entries.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { addressBelow } from "../ui/entry-address.ts";
import { ListStates, usePages } from "../ui/list.tsx";
import { inLocale, LocaleSelect, useLocale } from "../ui/locale-select.tsx";
import { addressOf, go, Link } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { PathLinks } from "../ui/path-links.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { SelectionBar } from "../ui/selection-bar.tsx";
import { Empty } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { EntryActions } from "./entry-actions.tsx";
import { EntryTable } from "./entry-table.tsx";
import { useTypedList } from "./use-typed-list.ts";

const RestoreSubtree = lazy(async () => ({ default: (await import("./restore-subtree.tsx")).RestoreSubtree }));
const TranslationActions = lazy(async () => ({
  default: (await import("../translation/translation-actions.tsx")).TranslationActions,
}));
const ImportDialog = lazy(async () => ({ default: (await import("../desk/import-dialog.tsx")).ImportDialog }));
const FilterBuilder = lazy(async () => ({ default: (await import("./filter-builder.tsx")).FilterBuilder }));

/** At first, and of each page after it: who asks for more wants many. */
const [firstEntries, moreEntries] = [50, 200];

/** The entries below a path, as a table with a filter. The filter is part of the URL, so it can be shared. */
export function EntryList({ path, search }: { path: string; search: URLSearchParams }) {
  const [kept, setFilter] = useState(() => parseFilter(search.get("filter")));
  const locale = useLocale(search);
  // The source is not translated.
  const filter = useMemo(() => (locale === undefined ? { ...kept, translation: "" as const } : kept), [kept, locale]);
  const [isBuilding, building] = useDisclosure(filter.conditions.length > 0);
  const columns = useColumns(path, search.get("columns"));
  const { opened } = columns;
  const named = search.get("locale");
  useAddress(path, { filter, locale: named, columns: opened }, search.get("filter"), setFilter);
  const open = (view: SavedView): void => {
    const text = formatFilter(view.filter);
    if (view.path === path) {
      setFilter(view.filter);
      columns.open(view.columns);
    } else go(addressBelow(view.path, { ...(text && { filter: text }), columns: view.columns.join(",") }));
  };
  const mayPublish = useWritesLive();
  const session = useSession();
  const { data: itself, isLoading } = useQuery({
    queryKey: ["children", path, "itself"],
    queryFn: () => readChild(path),
    enabled: path !== "",
    retry: false,
  });
  return (
    <Page
      isWide
      title={path === "" ? say("Entries") : titleOf({ slug: path, title: itself?.entry?.title ?? "" })}
      description={<Description path={path} itself={itself} />}
      actions={
        <>
          <SearchInput
            label={say("Search here")}
            placeholder={say("Search here")}
            value={filter.search}
            onChange={(text) => setFilter({ ...filter, search: text })}
            w={{ base: 160, sm: 220 }}
          />
          <LocaleSelect locale={locale} onChange={(chosen) => go(addressBelow(path, { locale: chosen }))} />
          {locale !== undefined && <TranslatedSelect filter={filter} onChange={setFilter} />}
          <FilterButton filter={filter} isOpen={isBuilding} onToggle={() => startTransition(building.toggle)} />
          <ViewsMenu path={path} columns={columns.chosen} filter={filter} onOpen={open} />
          {mayPublish && reaches(session, path) && <ListMenu path={path} />}
        </>
      }
    >
      {isLoading && <OwnEntryRoom />}
      {itself?.entry && <OwnEntry slug={path} title={itself.entry.title} locale={named ?? undefined} />}
      <Results
        path={path}
        filter={filter}
        locale={locale}
        columns={columns}
        isBuilding={isBuilding}
        onChange={setFilter}
      />
    </Page>
  );
}

type Shown = { filter: EntryFilter; locale: string | null; columns: readonly string[] | undefined };

/** Keeps what is shown in the address; a filter that came there otherwise, as from the finder, is shown. */
function useAddress(
  path: string,
  { filter, locale, columns }: Shown,
  sent: string | null,
  onSent: (filter: EntryFilter) => void,
): void {
  const written = useRef(sent);
  // Before the next effect, which would write the old one again.
  useEffect(() => {
    if (sent === written.current) return;
    written.current = sent;
    onSent(parseFilter(sent));
  }, [sent, onSent]);
  useEffect(() => {
    const text = formatFilter(filter);
    written.current = text ?? null;
    const shown = {
      ...(locale && { locale }),
      ...(text && { filter: text }),
      ...(columns && { columns: columns.join(",") }),
    };
    go(addressBelow(path, shown), "replace");
  }, [filter, path, columns, locale]);
}

const translatedStates = [
  { value: "", label: say("Any state") },
  { value: "missing", label: say("Missing") },
  { value: "outdated", label: say("Outdated") },
  { value: "done", label: say("Done") },
];

type TranslatedProps = { filter: EntryFilter; onChange(filter: EntryFilter): void };

/** How far the entries are translated that are listed. */
const TranslatedSelect = ({ filter, onChange }: TranslatedProps) => (
  <NativeSelect
    aria-label={say("State of the translation")}
    size="xs"
    className="locale-select"
    data={translatedStates}
    value={filter.translation}
    onChange={({ currentTarget }) =>
      onChange({ ...filter, translation: currentTarget.value as EntryFilter["translation"] })
    }
  />
);

type FilterButtonProps = { filter: EntryFilter; isOpen: boolean; onToggle(): void };

function FilterButton({ filter: { conditions }, isOpen, onToggle }: FilterButtonProps) {
  const count = conditions.filter(isWhole).length;
  return (
    <Indicator disabled={count === 0} label={count} size={16}>
      <Button variant="default" leftSection={<ListFilter size={15} />} aria-expanded={isOpen} onClick={onToggle}>
        {say("Filter")}
      </Button>
    </Indicator>
  );
}

function Description({ path, itself }: { path: string; itself: EntryChild | null | undefined }) {
  if (path === "") return say("The top level. Open an entry, or filter all of them.");
  const place = itself?.entry ? (
    <Anchor component={Link} href={addressOf("entries", path)} inherit underline="always">
      {path}
    </Anchor>
  ) : (
    path
  );
  return (
    <>
      {itself && !itself.entry
        ? sayParts("Entries below {place}, which has no entry of its own", { place })
        : sayParts("Entries below {place}", { place })}
    </>
  );
}

/** The entry of the section itself, above those below it. */
const OwnEntry = ({ slug, title, locale }: { slug: string; title: string; locale: string | undefined }) => (
  <Link className="panel own-entry" href={addressOf("entries", slug, inLocale(locale))}>
    <FileText size={15} aria-hidden />
    <span className="own-entry-name">{titleOf({ slug, title })}</span>
    <span className="own-entry-act">{say("Edit this page")}</span>
  </Link>
);

/** Until it is known whether there is one: the list below does not move then. */
const OwnEntryRoom = () => (
  <div className="panel own-entry" aria-hidden>
    &nbsp;
  </div>
);

const nothing: readonly Entry[] = [];
const noFields: readonly FieldHint[] = [];

function ListMenu({ path }: { path: string }) {
  const [isRestoring, restoring] = useDisclosure(false);
  const [isImporting, importing] = useDisclosure(false);
  // Of the section, not of what a filter finds.
  const typed = useTypedList(path, nothing);
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size={34} variant="default" aria-label={say("More actions")}>
            <Ellipsis size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Sheet size={15} />} onClick={importing.open}>
            {say("Import CSV…")}
          </Menu.Item>
          <Menu.Item leftSection={<History size={15} />} onClick={restoring.open}>
            {path === "" ? say("Restore all entries…") : say("Restore it and all below…")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isImporting && (
        <Suspense>
          <ImportDialog path={path} fields={typed?.hints ?? noFields} onClose={importing.close} />
        </Suspense>
      )}
      {isRestoring && (
        <Suspense>
          <RestoreSubtree path={path} onClose={restoring.close} />
        </Suspense>
      )}
    </>
  );
}

type ResultsProps = {
  path: string;
  filter: EntryFilter;
  /** Undefined for the source. */
  locale: string | undefined;
  columns: Columns;
  isBuilding: boolean;
  onChange(filter: EntryFilter): void;
};

function Results(props: ResultsProps) {
  const { path, filter, locale, isBuilding, onChange } = props;
  const inside = pathsBelow(useSession(), path);
  const isFiltered = formatFilter(filter) !== undefined;
  const results = useResults(path, filter, locale);
  const { list, items, entries } = results;
  const typed = useTypedList(path, entries);
  // The list waits for the filter above it: it would move when that comes.
  return (
    <Suspense>
      {isBuilding && (
        <FilterBuilder
          path={path}
          filter={filter}
          locale={locale}
          keys={[...new Set(entries.flatMap(Object.keys))].sort()}
          hints={typed?.hints}
          onChange={onChange}
        />
      )}
      {!isFiltered && inside.length > 0 ? (
        <PathLinks page="entries" paths={inside} />
      ) : (
        <ListStates
          list={list}
          items={items && entries}
          failure={say("The entries cannot be listed")}
          rows={8}
          height={52}
          goesOn
          empty={<NoEntries isFiltered={isFiltered} onClear={() => onChange(emptyFilter)} />}
        >
          {() => <Entries {...props} results={results} typed={typed} />}
        </ListStates>
      )}
    </Suspense>
  );
}

/** The entries that match, without those being deleted, and which of them are selected. */
function useResults(path: string, filter: EntryFilter, locale: string | undefined) {
  const hidden = useHidden();
  const [settled] = useDebouncedValue(filter, 200);
  const query = toQueryIn(settled, locale);
  const pages = usePages({
    queryKey: ["collection", path, query],
    queryFn: ({ pageParam: cursor }) => {
      const limit = cursor === undefined ? firstEntries : moreEntries;
      return listEntries(path, { ...query, limit, total: true, cursor });
    },
    isKept: true,
  });
  const { list, items, total: all } = pages;
  const entries = useMemo(() => (items ?? []).filter(({ slug }) => !isHidden(hidden, slug)), [items, hidden]);
  const total = (all ?? 0) - ((items?.length ?? 0) - entries.length);
  useListed(path, settled, locale, pages);
  return { list, items, entries, total, ...useEverySelection(path, query, entries, total) };
}

type EntriesProps = ResultsProps & {
  results: ReturnType<typeof useResults>;
  typed: ReturnType<typeof useTypedList>;
};

/** The table of the entries, and above it how many there are, or what can be done with those that are selected. */
function Entries({ path, filter, locale, columns: { chosen, choose }, results, typed, onChange }: EntriesProps) {
  const { entries, total, selection, everyButton } = results;
  const columns = useMemo(() => columnsOf(entries, typed), [entries, typed]);
  const shown = useMemo(() => (chosen.length > 0 ? chosen : usualColumns(typed, locale)), [chosen, typed, locale]);
  return (
    <>
      <SelectionBar
        selection={selection}
        total={total}
        count={sayMany(total, "{count} entry", "{count} entries")}
        locale={locale}
        more={(rest) =>
          selection.things.length > 0 ? (
            everyButton(rest)
          ) : (
            <ColumnsButton all={columns} shown={shown} isUsual={chosen.length === 0} onChange={choose} />
          )
        }
        actions={(rest) =>
          locale === undefined ? (
            <EntryActions
              {...{ path, selection, rest }}
              hints={typed?.hints ?? []}
              shown={shown.flatMap((name) => columns.find(({ field }) => field === name) ?? [])}
            />
          ) : (
            <Suspense>
              <TranslationActions path={path} locale={locale} selection={selection} rest={rest} />
            </Suspense>
          )
        }
      />
      <EntryTable
        path={path}
        entries={entries}
        total={total}
        columns={columns}
        shown={shown}
        isChosen={chosen.length > 0}
        lead={typed?.lead}
        selection={selection}
        filter={filter}
        locale={locale}
        onChange={onChange}
      />
    </>
  );
}

function NoEntries({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <Empty icon={BookOpenText} title={say("No entries here yet")}>
        {say("An entry is a piece of content with any fields you like. Make one with New.")}
      </Empty>
    );
  }
  return (
    <Empty
      icon={Search}
      title={say("No entry matches")}
      action={<Button onClick={onClear}>{say("Clear the filter")}</Button>}
    >
      {say("Relax a condition, or search all levels below.")}
    </Empty>
  );
}
