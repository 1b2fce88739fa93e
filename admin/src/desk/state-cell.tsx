import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Entry } from "../api/entry.ts";
import { say } from "../language/say.ts";
import type { Copies } from "../model/entry/copies.ts";
import { stateOf } from "../model/entry/state.ts";
import { formatMoment } from "../model/format.ts";
import { copiesQuery } from "../query/copies.ts";
import { VisibilityBadge } from "../ui/visibility.tsx";

/** At most a page of them, of the source or in a locale. */
export const useCopies = (locale?: string): Copies | undefined => useQuery(copiesQuery(locale)).data;

/** The state of an entry in a table: also whether it has a working copy, and when it goes live. */
export function StateCell({ entry, copies }: { entry: Entry; copies: Copies | undefined }) {
  const { visibility, published_at: publishedAt, slug } = entry;
  const publishAt = copies?.get(slug)?.publish_at;
  const goesLive = publishAt ?? (stateOf(visibility, publishedAt).label === "Scheduled" ? publishedAt : undefined);
  return (
    <>
      <VisibilityBadge visibility={visibility} publishedAt={publishedAt} />
      {publishAt !== undefined && (
        <Badge color="grape" ms={4}>
          {say("Changed")}
        </Badge>
      )}
      {goesLive !== undefined && (
        <Text size="xs" c="dimmed">
          {say("Goes live {time}", { time: formatMoment(goesLive) })}
        </Text>
      )}
    </>
  );
}
