import { Anchor, Badge, Group, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { FilePen } from "lucide-react";
import type { StagedRow } from "../../../client/src/api.ts";
import { nameOf } from "../api/path.ts";
import { listStaged } from "../api/staged.ts";
import { useActorName } from "../token/actor-name.ts";
import { formatMoment } from "../ui/format.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

/** All entries with changes that are not published, or that are scheduled. */
export function StagedPage() {
  const list = useInfiniteQuery({
    queryKey: ["staged"],
    queryFn: ({ pageParam }) => listStaged(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    // Other clients stage, and the service publishes what is due.
    staleTime: 0,
  });
  const { data, error, refetch } = list;
  const rows = data?.pages.flatMap(({ items }) => items);
  return (
    <Page title="Unpublished" description="Entries with changes that are not published yet, by their ids.">
      {error ? (
        <Failure error={error} title="The list cannot be read" onRetry={() => void refetch()} />
      ) : !rows ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty icon={FilePen} title="Everything is published">
          "Save draft" on an entry keeps changes here until they are published. Drafts that were never published are in
          the list of entries.
        </Empty>
      ) : (
        <>
          <StagedTable rows={rows} />
          <ShowMore list={list} />
        </>
      )}
    </Page>
  );
}

function StagedTable({ rows }: { rows: StagedRow[] }) {
  const actorName = useActorName();
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Entry</Table.Th>
            <Table.Th visibleFrom="sm">Publishing</Table.Th>
            <Table.Th visibleFrom="sm">Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, staged_at: at, staged_by: actor, publish_at: publishAt }) => (
            <Table.Tr key={id}>
              <Table.Td data-fill>
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
                  {publishAt !== null && `${formatMoment(publishAt)}, `}changed <Ago seconds={at} /> by{" "}
                  {actorName(actor)}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                {publishAt === null ? "Not scheduled" : formatMoment(publishAt)}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={at} />
                <br />
                {actorName(actor)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
