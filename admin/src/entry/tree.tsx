import { ActionIcon, Button, Loader } from "@mantine/core";
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ChevronRight, EyeOff, FileText, Folder, PencilLine } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { EntryChild } from "../../../client/src/client.ts";
import { readChild } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { ancestorsOf, nameOf } from "../api/path.ts";
import { useDragging, useDropAtTop } from "../desk/dragging.ts";
import { say } from "../language/say.ts";
import { formatCount } from "../model/format.ts";
import { useSession } from "../session-context.ts";
import { addressBelow } from "../ui/entry-address.ts";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, Link, usePlace } from "../ui/location.tsx";
import { useReadOn } from "../ui/show-more.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";

const childrenPage = 100;

type TreeProps = { selected: string; onPick?(): void };

/**
 * All entries as a tree; a level is loaded when it is expanded, and those that lead to the paths of the session's token
 * are. Keys follow the ARIA tree view pattern.
 */
export function Tree({ selected, onPick }: TreeProps) {
  const locale = usePlace().search.get("locale") ?? undefined;
  const ways = (useSession().token.paths ?? []).flatMap(ancestorsOf);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([...ancestorsOf(selected), ...ways]));
  useEffect(() => {
    setOpen((before) => new Set([...before, ...ancestorsOf(selected)]));
  }, [selected]);
  const toggle = (slug: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(slug)) after.add(slug);
      return after;
    });
  // A single Tab stop: the tree passes the focus to an item, and is not focusable while an item has it.
  const [isInside, setInside] = useState(false);
  const atTop = useDropAtTop();
  const last = useRef<HTMLElement>(undefined);
  const enter = ({ currentTarget: tree, target }: FocusEvent<HTMLElement>): void => {
    setInside(true);
    if (target !== tree) last.current = target;
    else if (last.current?.isConnected) last.current.focus();
    else (tree.querySelector<HTMLElement>("[aria-selected=true]") ?? itemsOf(tree)[0])?.focus();
  };
  return (
    <div
      role="tree"
      aria-label={say("Entries")}
      className="tree"
      {...atTop}
      tabIndex={isInside ? -1 : 0}
      onFocus={enter}
      onBlur={({ currentTarget, relatedTarget }) => setInside(currentTarget.contains(relatedTarget))}
      onKeyDown={moveFocus}
    >
      <Level path="" depth={0} state={{ open, toggle, selected, locale, onPick }} />
    </div>
  );
}

type TreeState = {
  open: ReadonlySet<string>;
  toggle(slug: string): void;
  selected: string;
  locale: string | undefined;
  onPick?(): void;
};

function Level({ path, depth, state }: { path: string; depth: number; state: TreeState }) {
  const hidden = useHidden();
  const list = useInfiniteQuery({
    queryKey: ["children", path],
    queryFn: ({ pageParam }) => octavo.entries.children(path, { after: pageParam, limit: childrenPage }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < childrenPage ? undefined : last.at(-1)?.slug),
  });
  const { data, error, refetch, hasNextPage } = list;
  const shown = data?.pages.flat() ?? [];
  const wanted = stepToward(path, state.selected);
  const { data: far } = useQuery({
    queryKey: ["children", wanted, "itself"],
    queryFn: () => readChild(wanted),
    enabled: hasNextPage && wanted !== "" && !shown.some(({ slug }) => slug === wanted),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return depth === 0 ? <Loading rows={7} height={26} /> : <Loader size={14} ms={depth * 14 + 22} my={6} />;
  const branch = (child: EntryChild): ReactNode =>
    !hidden.has(`entry:${child.slug}`) && <Branch key={child.slug} child={child} depth={depth} state={state} />;
  return (
    <>
      {shown.map(branch)}
      <More list={list} path={path} depth={depth} shown={shown.filter(({ entry }) => entry).length} />
      {far && !shown.some(({ slug }) => slug === far.slug) && branch(far)}
    </>
  );
}

/** The child of a level that leads to a path below it; empty when there is none. */
function stepToward(level: string, path: string): string {
  const start = level === "" ? "" : `${level}/`;
  const [next = ""] = path.slice(start.length).split("/");
  return path.startsWith(start) && next !== "" ? start + next : "";
}

type MoreProps = { list: UseInfiniteQueryResult; path: string; depth: number; shown: number };

/** A tree item that loads more of its level. */
function More({ list, path, depth, shown }: MoreProps) {
  const readOn = useReadOn(list);
  const { data: all = 0 } = useQuery({
    queryKey: ["collection", path, "count"],
    queryFn: () => octavo.entries.count(path),
    enabled: list.hasNextPage,
  });
  if (!list.hasNextPage) return null;
  return (
    <div role="none" data-branch>
      <Button
        role="treeitem"
        aria-level={depth + 1}
        tabIndex={-1}
        variant="subtle"
        size="compact-sm"
        ms={depth * 14 + 22}
        onClick={(event) => readOn(event.currentTarget.parentElement?.previousElementSibling)}
      >
        {all > shown ? say("{all} more", { all: formatCount(all - shown) }) : say("More")}
      </Button>
    </div>
  );
}

function Branch({ child, depth, state }: { child: EntryChild; depth: number; state: TreeState }) {
  const { slug, has_children: hasChildren, entry } = child;
  const isOpen = state.open.has(slug) && hasChildren;
  const { locale } = state;
  const isSelected = state.selected === slug;
  const group = useId();
  const dragging = useDragging({ slug, name: entry?.title || nameOf(slug), mayBeDragged: entry !== null });
  return (
    <div role="none" data-branch>
      <div
        className="tree-row"
        data-selected={isSelected || undefined}
        style={{ paddingInlineStart: depth * 14 + 4 }}
        {...dragging}
      >
        {hasChildren ? (
          <ActionIcon
            size={20}
            className="tree-toggle"
            data-open={isOpen || undefined}
            onClick={() => state.toggle(slug)}
            tabIndex={-1}
            aria-hidden
          >
            <ChevronRight size={14} />
          </ActionIcon>
        ) : (
          <span className="tree-gap" />
        )}
        <Link
          role="treeitem"
          aria-level={depth + 1}
          aria-expanded={hasChildren ? isOpen : undefined}
          aria-selected={isSelected}
          aria-owns={isOpen ? group : undefined}
          tabIndex={-1}
          ref={isSelected ? reveal : undefined}
          href={
            entry && !hasChildren ? addressOf("entries", slug, inLocale(locale)) : addressBelow(slug, inLocale(locale))
          }
          className="tree-link"
          title={slug}
          onClick={state.onPick}
        >
          <Icon child={child} />
          <span className="tree-name" data-bare={!entry || undefined}>
            {entry?.title || nameOf(slug)}
          </span>
        </Link>
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a group of a tree, not of a form.
        <div role="group" id={group}>
          <Level path={slug} depth={depth + 1} state={state} />
        </div>
      )}
    </div>
  );
}

const reveal = (item: HTMLElement | null): void => item?.scrollIntoView({ block: "nearest" });

function Icon({ child: { entry } }: { child: EntryChild }) {
  const shape = { size: 14, strokeWidth: 1.7, "aria-hidden": true, className: "tree-icon" } as const;
  if (!entry) return <Folder {...shape} />;
  if (entry.visibility === "draft") return <PencilLine {...shape} data-state="draft" />;
  return entry.visibility === "hidden" ? <EyeOff {...shape} /> : <FileText {...shape} />;
}

const itemsOf = (tree: HTMLElement): HTMLElement[] => [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")];

/** Up and down through the visible items, right and left to expand and collapse, Home and End. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const links = itemsOf(event.currentTarget);
  const at = links.indexOf(document.activeElement as HTMLElement);
  const branch = links[at]?.closest<HTMLElement>("[data-branch]");
  const isOpen = links[at]?.getAttribute("aria-expanded") === "true";
  const toggle = () => branch?.querySelector<HTMLElement>(".tree-toggle")?.click();
  const parent = branch?.parentElement?.closest("[data-branch]")?.querySelector<HTMLElement>("[role=treeitem]");
  const acts: Record<string, () => void> = {
    ArrowDown: () => links[at + 1]?.focus(),
    ArrowUp: () => links[at - 1]?.focus(),
    Home: () => links[0]?.focus(),
    End: () => links.at(-1)?.focus(),
    ArrowRight: () => (isOpen ? links[at + 1]?.focus() : toggle()),
    ArrowLeft: () => (isOpen ? toggle() : parent?.focus()),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
