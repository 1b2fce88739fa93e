import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData, spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { FileText, type LucideIcon, Search } from "lucide-react";
import { useState } from "react";
import { listEntries, titleOf } from "./api/entry.ts";
import { useMay } from "./session-context.ts";
import { addressOf, go } from "./ui/location.tsx";

export const openFinder = (): void => spotlight.open();

type FinderProps = { sections: readonly { page: string; label: string; icon: LucideIcon }[] };

/** Ctrl K: any page, and any entry by a word in it. */
export function Finder({ sections }: FinderProps) {
  const [query, setQuery] = useState("");
  const pages = sections
    .filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()))
    .map(({ page, label, icon: Icon }) => ({
      id: page,
      label,
      leftSection: <Icon size={18} strokeWidth={1.6} />,
      onClick: () => go(addressOf(page)),
    }));
  const entries = useFound(query.trim());
  const actions = [
    ...(pages.length > 0 ? [{ group: "Pages", actions: pages }] : []),
    ...(entries.length > 0 ? [{ group: "Entries", actions: entries }] : []),
  ];
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={actions}
      filter={(_query, all) => all}
      shortcut={["mod + K"]}
      nothingFound="Nothing found"
      highlightQuery
      scrollable
      maxHeight={420}
      attributes={{ content: { "aria-label": "Find anything" } }}
      searchProps={{
        leftSection: <Search size={18} />,
        placeholder: "A page, or a word of an entry",
        "aria-label": "What to find",
      }}
    />
  );
}

function useFound(query: string): SpotlightActionData[] {
  const mayRead = useMay("entries");
  const [settled] = useDebouncedValue(query, 180);
  const { data } = useQuery({
    queryKey: ["collection", "found", settled],
    enabled: mayRead && settled.length > 1,
    queryFn: () => listEntries("", { "filter[search]": settled, "filter[depth]": "*", "filter[limit]": 8 }),
  });
  if (!data || settled.length < 2) return [];
  return data.entries.map((entry) => ({
    id: `entry ${entry.slug}`,
    label: titleOf(entry),
    description: entry.slug,
    leftSection: <FileText size={18} strokeWidth={1.6} />,
    onClick: () => go(addressOf("entries", entry.slug)),
  }));
}
