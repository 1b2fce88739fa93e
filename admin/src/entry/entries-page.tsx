import "./entry.css";
import { ActionIcon, Button, CloseButton, Drawer, Group, Text, Tooltip } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useMediaQuery } from "@mantine/hooks";
import { ListTree, PanelLeftClose, Plus, Search } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { listEntries, titleOf } from "../api/entry.ts";
import { parentOf } from "../api/path.ts";
import { say, sayMany } from "../language/say.ts";
import { usePreference } from "../session/preference.ts";
import { useWrites } from "../session-context.ts";
import { ListStates, usePages } from "../ui/list.tsx";
import { useLocale } from "../ui/locale-select.tsx";
import { addressOf, Link, type PageAddress } from "../ui/location.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { Empty } from "../ui/state.tsx";
import { Editor } from "./editor.tsx";
import { EntryList } from "./entry-list.tsx";
import { Tree } from "./tree.tsx";

const TranslationEditor = lazy(async () => ({
  default: (await import("../translation/translation-editor.tsx")).TranslationEditor,
}));
const NewEntry = lazy(async () => ({ default: (await import("../create/new-entry.tsx")).NewEntry }));

/** The tree beside the entry in the URL, or beside the list of entries. */
export function EntriesPage({ place }: { place: PageAddress }) {
  const mayWrite = useWrites();
  const [isTreeOpen, tree] = useDisclosure(false);
  const [isMaking, making] = useDisclosure(false);
  const isNarrow = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false });
  const { path, search } = place;
  const isList = path === "" || search.get("view") === "below";
  const [isFolded, fold] = usePreference("tree-folded", false);
  const pane = (
    <TreePane
      selected={path}
      onNew={making.open}
      onPick={tree.close}
      onFold={isNarrow ? undefined : () => fold(true)}
    />
  );
  return (
    <div className="split" data-folded={(isFolded && !isNarrow) || undefined}>
      {isFolded && !isNarrow ? null : isNarrow ? (
        <Drawer opened={isTreeOpen} onClose={tree.close} title={say("Entries")} size={320} padding="xs">
          {pane}
        </Drawer>
      ) : (
        <aside className="split-pane" aria-label={say("Tree of entries")}>
          {pane}
        </aside>
      )}
      <section className="split-main" data-content tabIndex={-1} aria-label={path === "" ? say("All entries") : path}>
        {(isNarrow || isFolded) && (
          <Group className="split-bar" justify="space-between">
            <Button
              variant="default"
              size="xs"
              leftSection={<ListTree size={15} />}
              onClick={isNarrow ? tree.open : () => fold(false)}
            >
              {say("Tree")}
            </Button>
            {mayWrite && (
              <Button size="xs" leftSection={<Plus size={15} />} onClick={making.open}>
                {say("New entry")}
              </Button>
            )}
          </Group>
        )}
        {isList ? <EntryList key={path} path={path} search={search} /> : <EntryIn path={path} search={search} />}
      </section>
      {isMaking && (
        <Suspense>
          <NewEntry below={isList ? path : parentOf(path) || path} onClose={making.close} />
        </Suspense>
      )}
    </div>
  );
}

/** The entry as the source, or what it says in another language. */
function EntryIn({ path, search }: { path: string; search: URLSearchParams }) {
  const locale = useLocale(search);
  if (locale === undefined) return <Editor key={path} slug={path} />;
  return (
    <Suspense>
      <TranslationEditor key={`${path} ${locale}`} slug={path} locale={locale} />
    </Suspense>
  );
}

type PaneProps = { selected: string; onNew(): void; onPick(): void; onFold: (() => void) | undefined };

function TreePane({ selected, onNew, onPick, onFold }: PaneProps) {
  const [text, setText] = useState("");
  const [settled] = useDebouncedValue(text.trim(), 200);
  const mayWrite = useWrites();
  return (
    <>
      <Group className="pane-head" gap="xs" wrap="nowrap">
        {onFold && (
          <Tooltip label={say("Hide the tree")}>
            <ActionIcon size={30} onClick={onFold} aria-label={say("Hide the tree")}>
              <PanelLeftClose size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        <SearchInput
          label={say("Search in all entries")}
          placeholder={say("Search in all entries")}
          size="xs"
          flex={1}
          value={text}
          onChange={setText}
          rightSection={
            text && <CloseButton size="xs" onClick={() => setText("")} aria-label={say("Clear the search")} />
          }
        />
        {mayWrite && (
          <Button size="xs" px={10} onClick={onNew} leftSection={<Plus size={14} />} aria-label={say("New entry")}>
            {say("New")}
          </Button>
        )}
      </Group>
      <div className="pane-body">
        {settled === "" ? <Tree selected={selected} onPick={onPick} /> : <Found text={settled} onPick={onPick} />}
      </div>
    </>
  );
}

const foundPage = { depth: "*", limit: 50, total: true };

function Found({ text, onPick }: { text: string; onPick(): void }) {
  const found = usePages({
    queryKey: ["collection", "search", text],
    queryFn: ({ pageParam }) => listEntries("", { ...foundPage, search: text, cursor: pageParam }),
  });
  return (
    <ListStates {...found} rows={5} height={40} empty={<Empty icon={Search} title={say("Nothing found")} />}>
      {(entries) => (
        <>
          <Text size="xs" c="dimmed" px={8} pb={4} aria-live="polite">
            {sayMany(found.total ?? entries.length, "{count} entry", "{count} entries")}
          </Text>
          <ul className="found" aria-label={say("Found entries")}>
            {entries.map((entry) => (
              <li key={entry.slug}>
                <Link href={addressOf("entries", entry.slug)} onClick={onPick}>
                  <span>{titleOf(entry)}</span>
                  <small>{entry.slug}</small>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </ListStates>
  );
}
