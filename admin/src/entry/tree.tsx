import { ActionIcon, Button, Loader } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight, EyeOff, FileText, Folder, PencilLine } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { childrenPage, type EntryChild, listChildren } from "../api/entry.ts";
import { ancestorsOf, nameOf } from "../api/path.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { addressBelow } from "./address.ts";

type TreeProps = { selected: string; onPick?(): void };

/** All entries as a tree; a level is read when it is opened. Keys as in the ARIA pattern for trees. */
export function Tree({ selected, onPick }: TreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(ancestorsOf(selected)));
  useEffect(() => {
    setOpen((before) => new Set([...before, ...ancestorsOf(selected)]));
  }, [selected]);
  const toggle = (slug: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(slug)) after.add(slug);
      return after;
    });
  return (
    <div role="tree" aria-label="Entries" className="tree" onKeyDown={moveFocus}>
      <Level path="" depth={0} state={{ open, toggle, selected, onPick }} />
    </div>
  );
}

type TreeState = { open: ReadonlySet<string>; toggle(slug: string): void; selected: string; onPick?(): void };

function Level({ path, depth, state }: { path: string; depth: number; state: TreeState }) {
  const hidden = useHidden();
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["children", path],
    queryFn: ({ pageParam }) => listChildren(path, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < childrenPage ? undefined : last.at(-1)?.slug),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return depth === 0 ? <Loading rows={7} height={26} /> : <Loader size={14} ml={depth * 14 + 22} my={6} />;
  const children = data.pages.flat().filter(({ slug }) => !hidden.has(`entry:${slug}`));
  return (
    <>
      {children.map((child) => (
        <Branch key={child.slug} child={child} depth={depth} state={state} />
      ))}
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          ml={depth * 14 + 22}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          More
        </Button>
      )}
    </>
  );
}

function Branch({ child, depth, state }: { child: EntryChild; depth: number; state: TreeState }) {
  const { slug, has_children: hasChildren, entry } = child;
  const isOpen = state.open.has(slug) && hasChildren;
  const isSelected = state.selected === slug;
  const group = useId();
  return (
    <div role="none" data-branch>
      <div className="tree-row" data-selected={isSelected || undefined} style={{ paddingLeft: depth * 14 + 4 }}>
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
          href={entry ? addressOf("entries", slug) : addressBelow(slug)}
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

function Icon({ child: { entry } }: { child: EntryChild }) {
  const shape = { size: 14, strokeWidth: 1.7, "aria-hidden": true, className: "tree-icon" } as const;
  if (!entry) return <Folder {...shape} />;
  if (entry.visibility === "draft") return <PencilLine {...shape} data-state="draft" />;
  return entry.visibility === "hidden" ? <EyeOff {...shape} /> : <FileText {...shape} />;
}

/** Up and down through what is shown, right and left to open and close, Home and End. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>("[role=treeitem]")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (at < 0) return;
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
