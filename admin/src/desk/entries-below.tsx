import { ActionIcon, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Table2 } from "lucide-react";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { addressBelow } from "../ui/entry-address.ts";
import { Link } from "../ui/location.tsx";

/** Leads from an entry to the table of those below it, where there are some. */
export function EntriesBelow({ slug }: { slug: string }) {
  const { data = [] } = useQuery({
    queryKey: ["children", slug, "any"],
    queryFn: () => octavo.entries.children(slug, { limit: 1 }),
  });
  if (data.length === 0) return null;
  return (
    <Tooltip label={say("Entries below")}>
      <ActionIcon
        component={Link}
        href={addressBelow(slug)}
        size={34}
        variant="default"
        aria-label={say("Entries below")}
      >
        <Table2 size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
