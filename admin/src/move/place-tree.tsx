import { ActionIcon, Box, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { listFolders } from "../api/file.ts";
import { octavo } from "../api/octavo.ts";
import { ancestorsOf, nameOf, parentOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { useHidden } from "../ui/undo.tsx";

type TreeProps = { place: string; onPick(path: string): void };
type Node = { path: string; name: string; hasChildren: boolean };
/** Where the places of a tree come from. */
type Source = { noun: "entry" | "folder"; top: string; childrenOf(path: string): Promise<Node[]> };

const mostChildren = 200;

const entries: Source = {
  noun: "entry",
  top: say("Top level"),
  childrenOf: async (path) => {
    const children = await octavo.entries.children(path, { limit: mostChildren });
    return children.map(({ slug, has_children, entry }) => ({
      path: slug,
      name: entry?.title || nameOf(slug),
      hasChildren: has_children,
    }));
  },
};

const folders: Source = {
  noun: "folder",
  top: say("Media"),
  // A list of folders does not say which have others in them.
  childrenOf: async (parent) =>
    (await listFolders(parent)).map(({ path }) => ({ path, name: nameOf(path), hasChildren: true })),
};

/** The tree of entries, to choose a place in it. */
export const PlaceTree = (props: TreeProps) => <Tree {...props} source={entries} label={say("Places")} />;

/** The tree of folders, to choose one. */
export const FolderTree = (props: TreeProps) => <Tree {...props} source={folders} label={say("Folders")} />;

function Tree({ place, onPick, source, label }: TreeProps & { source: Source; label: string }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(place === "" ? [] : [...ancestorsOf(place), place]),
  );
  const toggle = (path: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  return (
    <Box
      mah={280}
      style={{ overflowY: "auto" }}
      className="panel"
      p={6}
      role="group"
      aria-label={label}
      onKeyDown={moveInTree}
    >
      <Place
        node={{ path: "", name: source.top, hasChildren: true }}
        depth={0}
        state={{ source, open, toggle, place, onPick }}
        isOpen
      />
    </Box>
  );
}

/** Up and down go through the places, right opens one, left closes it or goes to the one that it is in. */
function moveInTree(event: KeyboardEvent<HTMLElement>): void {
  const tree = event.currentTarget;
  const places = [...tree.querySelectorAll<HTMLElement>("[data-place]")];
  const row = (event.target as HTMLElement).closest("[data-row]");
  const at = places.findIndex((each) => row?.contains(each));
  const current = places[at];
  if (!current) return;
  const expand = row?.querySelector<HTMLElement>("[aria-expanded]");
  const isOpen = expand?.getAttribute("aria-expanded") === "true";
  const parent = parentOf(current.dataset.place ?? "");
  const acts: Record<string, () => void> = {
    ArrowDown: () => places[at + 1]?.focus(),
    ArrowUp: () => places[at - 1]?.focus(),
    ArrowRight: () => !isOpen && expand?.click(),
    ArrowLeft: () => (isOpen ? expand?.click() : places.find(({ dataset }) => dataset.place === parent)?.focus()),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

type State = TreeProps & { source: Source; open: ReadonlySet<string>; toggle(path: string): void };
type PlaceProps = {
  node: Node;
  depth: number;
  state: State;
  /** It stays open. */
  isOpen?: boolean;
};

function Place({ node: { path, name, hasChildren }, depth, state, isOpen: staysOpen = false }: PlaceProps) {
  const { source } = state;
  const isOpen = staysOpen || (hasChildren && state.open.has(path));
  const hidden = useHidden();
  const { data } = useQuery({
    queryKey: [source.noun === "entry" ? "children" : "folders", path, "places"],
    queryFn: () => source.childrenOf(path),
    enabled: isOpen,
  });
  const isLeaf = !hasChildren || data?.length === 0;
  return (
    <>
      <Group gap={2} wrap="nowrap" ps={depth * 14} data-row>
        {!isLeaf && !staysOpen ? (
          <ActionIcon
            size={24}
            className="tree-toggle"
            data-open={isOpen || undefined}
            onClick={() => state.toggle(path)}
            aria-expanded={isOpen}
            aria-label={say("Expand {name}", { name })}
          >
            <ChevronRight size={14} />
          </ActionIcon>
        ) : (
          <span className="tree-gap" />
        )}
        <Button
          size="compact-sm"
          variant={state.place === path ? "light" : "subtle"}
          aria-pressed={state.place === path}
          data-place={path}
          onClick={() => state.onPick(path)}
        >
          {name}
        </Button>
      </Group>
      {isOpen &&
        data
          ?.filter((child) => !hidden.has(`${source.noun}:${child.path}`))
          .map((child) => <Place key={child.path} node={child} depth={depth + 1} state={state} />)}
    </>
  );
}
