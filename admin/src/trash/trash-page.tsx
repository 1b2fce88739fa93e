import { Badge, Button, Group, Select, Table, Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Search, Trash2 } from "lucide-react";
import { useState } from "react";
import type { TrashItem } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { hasTrash } from "../api/session.ts";
import { type TrashNoun, trashNouns } from "../api/trash.ts";
import { useSession } from "../session-context.ts";
import { useActorName } from "../token/actor-name.ts";
import { formatBytes, plural } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { EmptyTrash } from "./empty-trash.tsx";
import { ItemActions } from "./item-actions.tsx";
import { countOf, nounLabels, resources } from "./noun.ts";

const pageItems = 50;

/** What was deleted: one item for each deletion. */
export function TrashPage() {
  const { token } = useSession();
  const [text, setText] = useState("");
  const [noun, setNoun] = useState<TrashNoun>();
  const [isEmptying, emptying] = useDisclosure(false);
  const [settled] = useDebouncedValue(text.trim(), 200);
  const list = useInfiniteQuery({
    queryKey: ["trash", noun, settled],
    queryFn: ({ pageParam: cursor }) =>
      octavo.trash.list({ limit: pageItems, cursor, noun, search: settled || undefined }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (before) => before,
    // Other clients delete, too.
    staleTime: 0,
  });
  const { data, error, refetch } = list;
  const items = data?.pages.flatMap((page) => page.items);
  const nouns = trashNouns.filter((each) => token.resources.includes(resources[each]));
  return (
    <Page
      title="Trash"
      description="What was deleted, with all below it, until it expires."
      actions={
        <>
          <SearchInput
            label="Search in the trash"
            placeholder="A part of the path"
            value={text}
            onChange={setText}
            w={190}
          />
          <Select
            aria-label="Kind"
            placeholder="Everything"
            data={nouns.map((each) => ({ value: each, label: nounLabels[each].many }))}
            value={noun ?? null}
            onChange={(chosen) => setNoun((chosen as TrashNoun | null) ?? undefined)}
            clearable
            clearButtonProps={{ "aria-label": "Everything" }}
            w={140}
          />
          <Button
            variant="default"
            leftSection={<Trash2 size={15} />}
            disabled={items === undefined || (items.length === 0 && !noun && settled === "")}
            onClick={emptying.open}
          >
            Empty trash
          </Button>
        </>
      }
    >
      {error ? (
        <Failure error={error} title="The trash cannot be read" onRetry={() => void refetch()} />
      ) : !items ? (
        <Loading />
      ) : items.length > 0 ? (
        <>
          <TrashTable items={items} />
          <ShowMore list={list} />
        </>
      ) : noun || settled ? (
        <Empty icon={Search} title="Nothing found" />
      ) : (
        <NothingDeleted />
      )}
      {isEmptying && <EmptyTrash onClose={emptying.close} />}
    </Page>
  );
}

function NothingDeleted() {
  const { trash_keep_days: days } = useSession();
  return hasTrash() ? (
    <Empty icon={Trash2} title="The trash is empty">
      Deleted entries, folders and files are kept here for {plural(days, "day")}, unless you delete them for good.
    </Empty>
  ) : (
    <Empty icon={Trash2} title="This service has no trash">
      What is deleted is deleted for good: the setting trash_keep_days is 0.
    </Empty>
  );
}

function TrashTable({ items }: { items: TrashItem[] }) {
  const actorName = useActorName();
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th visibleFrom="md">Contents</Table.Th>
            <Table.Th visibleFrom="sm">Deleted</Table.Th>
            <Table.Th visibleFrom="sm">Expires</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={item.id}>
              <Table.Td data-fill>
                <Group gap={6} wrap="nowrap">
                  <Text size="sm" fw={550} truncate>
                    {nameOf(item.path)}
                  </Text>
                  <Badge color="gray">{nounLabels[item.noun].one}</Badge>
                </Group>
                <Text size="xs" c="dimmed" className="mono" truncate title={item.path}>
                  {item.path}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {countOf(item)}, <Ago seconds={item.deleted_at} /> by {actorName(item.deleted_by)}, expires{" "}
                  <Ago seconds={item.expires_at} />
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="md" className="quiet">
                {countOf(item)}
                <br />
                {formatBytes(item.bytes)}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={item.deleted_at} />
                <br />
                {actorName(item.deleted_by)}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={item.expires_at} />
              </Table.Td>
              <Table.Td>
                <ItemActions item={item} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
