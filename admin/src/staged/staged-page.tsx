import { Anchor, Badge, Group, Text } from "@mantine/core";
import { FilePen } from "lucide-react";
import type { StagedRow } from "../../../client/src/api.ts";
import { nameOf } from "../api/path.ts";
import { listStaged } from "../api/staged.ts";
import { useActorName } from "../token/actor-name.ts";
import { formatMoment } from "../ui/format.ts";
import { type Column, from, ListPage, usePages } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

/** All entries with changes that are not published, or that are scheduled. */
export function StagedPage() {
  const actorName = useActorName();
  // Other clients stage, and the service publishes what is due.
  const staged = usePages({ queryKey: ["staged"], queryFn: ({ pageParam }) => listStaged(pageParam), staleTime: 0 });
  return (
    <ListPage
      title="Unpublished"
      description="Entries with changes that are not published yet, by their ids."
      {...staged}
      failure="The list cannot be read"
      empty={
        <Empty icon={FilePen} title="Everything is published">
          "Save draft" on an entry keeps changes here until they are published. Drafts that were never published are in
          the list of entries.
        </Empty>
      }
      table={{ columns: columnsOf(actorName), keyOf: ({ id }) => id }}
    />
  );
}

const columnsOf = (actorName: (id: string, name?: string) => string): Column<StagedRow>[] => [
  {
    label: "Entry",
    cell: { "data-fill": true },
    show: ({ id, staged_at: at, staged_by: actor, staged_by_name: name, publish_at: publishAt }) => (
      <>
        <Group gap={6} wrap="nowrap">
          <Anchor component={Link} href={addressOf("entries", id)} size="sm" fw={550} truncate>
            {nameOf(id)}
          </Anchor>
          {publishAt === null ? <Badge color="yellow">Draft</Badge> : <Badge color="blue">Scheduled</Badge>}
        </Group>
        <Text size="xs" c="dimmed" className="mono" truncate title={id}>
          {id}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {publishAt !== null && `${formatMoment(publishAt)}, `}changed <Ago seconds={at} /> by {actorName(actor, name)}
        </Text>
      </>
    ),
  },
  {
    label: "Publishing",
    ...from("sm"),
    show: ({ publish_at: at }) => (at === null ? "Not scheduled" : formatMoment(at)),
  },
  {
    label: "Changed",
    ...from("sm"),
    show: ({ staged_at: at, staged_by: actor, staged_by_name: name }) => (
      <>
        <Ago seconds={at} />
        <br />
        {actorName(actor, name)}
      </>
    ),
  },
];
