import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis, History, Languages, Link2, ListTree, PencilLine, Waypoints } from "lucide-react";
import { lazy, Suspense } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { type Entry, readEntry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { parentOf } from "../api/path.ts";
import { openEntry } from "../api/staged.ts";
import type { Autosave } from "../draft/autosave.ts";
import { say } from "../language/say.ts";
import type { ConcurrentChange, SaveState, StoredState } from "../model/draft/editing.ts";
import { PathMenu } from "../move/path-menu.tsx";
import { entryKey, rereadEntries } from "../query/entry.ts";
import { UsedIn } from "../reference/used-in.tsx";
import { useSession, useWritesLive } from "../session-context.ts";
import { deleteEntries } from "../trash/delete-entries.ts";
import { addressBelow } from "../ui/entry-address.ts";
import { addressOf, go } from "../ui/location.tsx";
import { queries } from "../ui/query.ts";

const PreviewLinks = lazy(async () => ({ default: (await import("../preview/preview-links.tsx")).PreviewLinks }));
const RestoreSubtree = lazy(async () => ({ default: (await import("./restore-subtree.tsx")).RestoreSubtree }));
const WherePublic = lazy(async () => ({ default: (await import("./where-public.tsx")).WherePublic }));

type EntryMenuProps = {
  editing: StoredState & SaveState & Pick<ConcurrentChange, "follow">;
  autosave: Autosave;
  /** Opens the live entry below the working copy. */
  onCorrect(): void;
};

const button = (
  <ActionIcon size={34} variant="default" aria-label={say("More actions")}>
    <Ellipsis size={17} />
  </ActionIcon>
);

/** Actions on the whole entry. */
export function EntryMenu({ editing, autosave, onCorrect }: EntryMenuProps) {
  const { base: entry, isDirty, take } = editing;
  const { slug } = entry;
  const thing = { noun: "entry", path: slug } as const;
  const [isRestoring, restoring] = useDisclosure(false);
  const [isSearching, searching] = useDisclosure(false);
  const [isLinking, linking] = useDisclosure(false);
  const [isPlacing, placing] = useDisclosure(false);
  const mayPublish = useWritesLive();
  return (
    <>
      <PathMenu
        button={button}
        thing={thing}
        copyPath={`${slug}-copy`}
        label={say("New id")}
        help={say("All descendants move along.")}
        isDirty={isDirty}
        onMove={(newSlug, options) => moveEntry(slug, newSlug, options)}
        onCopy={(newSlug) => copyEntry(slug, newSlug)}
        onDelete={() => removeEntry(entry)}
      >
        <Menu.Item leftSection={<ListTree size={15} />} onClick={() => go(addressBelow(slug))}>
          {say("Entries below")}
        </Menu.Item>
        <Menu.Item leftSection={<Waypoints size={15} />} onClick={searching.open}>
          {say("Used in…")}
        </Menu.Item>
        {mayPublish && editing.copy && <CorrectItem slug={slug} isDirty={isDirty} onClick={onCorrect} />}
        {mayPublish && (
          <Menu.Item leftSection={<Link2 size={15} />} onClick={linking.open}>
            {say("Preview links…")}
          </Menu.Item>
        )}
        <WhereItem onClick={placing.open} />
        <Menu.CheckboxItem checked={autosave.isOn} onChange={autosave.set} closeMenuOnClick>
          {say("Save automatically")}
        </Menu.CheckboxItem>
        {mayPublish && <RestoreItem slug={slug} isDirty={isDirty} onClick={restoring.open} />}
      </PathMenu>
      {isSearching && <UsedIn thing={thing} name={titleOf(entry)} onClose={searching.close} />}
      <Suspense>
        {isLinking && <PreviewLinks slug={slug} isDirty={isDirty} onClose={linking.close} />}
        {isPlacing && <WherePublic editing={editing} onClose={placing.close} />}
        {isRestoring && (
          <RestoreSubtree path={slug} onRestored={async () => take(await openEntry(slug))} onClose={restoring.close} />
        )}
      </Suspense>
    </>
  );
}

/** Opens the entry in its new place. */
function follow({ slug }: Entry): Promise<unknown> {
  go(addressOf("entries", slug));
  return rereadEntries();
}

async function moveEntry(slug: string, newSlug: string, options: MoveOptions): Promise<void> {
  const moved = await octavo.entries.move(slug, newSlug, options);
  // What is shown of it until the page has followed is not read again: nothing is at its id.
  for (const queryKey of [entryKey(slug), ["children", slug]]) queries.removeQueries({ queryKey });
  await follow(moved);
}

async function copyEntry(slug: string, newSlug: string): Promise<void> {
  await follow(await octavo.entries.copy(slug, newSlug));
}

async function removeEntry(entry: Entry): Promise<void> {
  if (await deleteEntries([entry])) go(addressBelow(parentOf(entry.slug)));
}

/** Offered where there are several languages. */
function WhereItem({ onClick }: { onClick(): void }) {
  const { locales } = useSession();
  if (!locales || locales.length < 2) return null;
  return (
    <Menu.Item leftSection={<Languages size={15} />} onClick={onClick}>
      {say("Where it is public…")}
    </Menu.Item>
  );
}

type LiveItemProps = { slug: string; isDirty: boolean; onClick(): void };

/** Offered while a working copy waits below which something is live; the menu asks when it opens. */
function CorrectItem({ slug, isDirty, onClick }: LiveItemProps) {
  const { data } = useQuery({
    queryKey: ["entry", slug, "state"],
    queryFn: async () => (await readEntry(slug)).entry.visibility,
    retry: false,
  });
  if (data === undefined || data === "draft") return null;
  return (
    <Menu.Item leftSection={<PencilLine size={15} />} disabled={isDirty} onClick={onClick}>
      {say("Correct the live page")}
    </Menu.Item>
  );
}

/** Offered for an entry with descendants; the menu asks when it opens. */
function RestoreItem({ slug, isDirty, onClick }: LiveItemProps) {
  const { data = [] } = useQuery({
    queryKey: ["children", slug, "any"],
    queryFn: () => octavo.entries.children(slug, { limit: 1 }),
  });
  return (
    <Menu.Item leftSection={<History size={15} />} disabled={isDirty || data.length === 0} onClick={onClick}>
      {say("Restore it and all below…")}
    </Menu.Item>
  );
}
