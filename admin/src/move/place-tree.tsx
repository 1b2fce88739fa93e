import { ActionIcon, Box, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { ancestorsOf, nameOf } from "../api/path.ts";
import { useHidden } from "../ui/undo.tsx";

type PlaceTreeProps = { place: string; onPick(path: string): void };

const mostChildren = 200;

/** The tree of entries, to choose a place in it. */
export function PlaceTree({ place, onPick }: PlaceTreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(place === "" ? [] : [...ancestorsOf(place), place]),
  );
  const toggle = (slug: string): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(slug)) after.add(slug);
      return after;
    });
  return (
    <Box mah={280} style={{ overflowY: "auto" }} className="panel" p={6} role="group" aria-label="Places">
      <Place slug="" name="Top level" depth={0} state={{ open, toggle, place, onPick }} hasChildren isOpen />
    </Box>
  );
}

type State = PlaceTreeProps & { open: ReadonlySet<string>; toggle(slug: string): void };
type PlaceProps = {
  slug: string;
  name: string;
  depth: number;
  state: State;
  hasChildren: boolean;
  /** It stays open. */
  isOpen?: boolean;
};

function Place({ slug, name, depth, state, hasChildren, isOpen: staysOpen = false }: PlaceProps) {
  const isOpen = staysOpen || (hasChildren && state.open.has(slug));
  const hidden = useHidden();
  const { data = [] } = useQuery({
    queryKey: ["children", slug, "places"],
    queryFn: () => octavo.entries.children(slug, { limit: mostChildren }),
    enabled: isOpen,
  });
  return (
    <>
      <Group gap={2} wrap="nowrap" pl={depth * 14}>
        {hasChildren && !staysOpen ? (
          <ActionIcon
            size={24}
            className="tree-toggle"
            data-open={isOpen || undefined}
            onClick={() => state.toggle(slug)}
            aria-expanded={isOpen}
            aria-label={`Expand ${name}`}
          >
            <ChevronRight size={14} />
          </ActionIcon>
        ) : (
          <span className="tree-gap" />
        )}
        <Button
          size="compact-sm"
          variant={state.place === slug ? "light" : "subtle"}
          aria-pressed={state.place === slug}
          onClick={() => state.onPick(slug)}
        >
          {name}
        </Button>
      </Group>
      {isOpen &&
        data
          .filter((child) => !hidden.has(`entry:${child.slug}`))
          .map((child) => (
            <Place
              key={child.slug}
              slug={child.slug}
              name={child.entry?.title || nameOf(child.slug)}
              depth={depth + 1}
              state={state}
              hasChildren={child.has_children}
            />
          ))}
    </>
  );
}
