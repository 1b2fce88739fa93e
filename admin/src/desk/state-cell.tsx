import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Entry } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { stateOf, VisibilityBadge } from "../entry/visibility.tsx";
import { formatMoment } from "../ui/format.ts";

/** The times of all working copies by entry: null for one that is not scheduled. At most a page of them. */
export type Copies = ReadonlyMap<string, number | null>;

const mostCopies = 1000;

export function useCopies(): Copies | undefined {
  const { data } = useQuery({
    queryKey: ["collection", "copies"],
    queryFn: async () => {
      const { items } = await octavo.entries.stagedList({ limit: mostCopies });
      return new Map(items.map(({ id, publish_at }) => [id, publish_at]));
    },
  });
  return data;
}

/** The state of an entry in a table: also whether it has a working copy, and when it goes live. */
export function StateCell({ entry, copies }: { entry: Entry; copies: Copies | undefined }) {
  const { visibility, published_at: publishedAt, slug } = entry;
  const publishAt = copies?.get(slug);
  const goesLive = publishAt ?? (stateOf(visibility, publishedAt).label === "Scheduled" ? publishedAt : undefined);
  return (
    <>
      <VisibilityBadge visibility={visibility} publishedAt={publishedAt} />
      {publishAt !== undefined && (
        <Badge color="grape" ml={4}>
          Changed
        </Badge>
      )}
      {goesLive !== undefined && (
        <Text size="xs" c="dimmed">
          Goes live {formatMoment(goesLive)}
        </Text>
      )}
    </>
  );
}
