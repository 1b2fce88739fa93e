import { ActionIcon, Badge, Button, Code, Group, Table, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { History, Lock, Pencil, Plus, SlidersHorizontal, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { formatJson } from "../api/json.ts";
import { useWritesLive } from "../session-context.ts";
import { Page } from "../ui/page.tsx";
import { refresh } from "../ui/query.ts";
import { SearchInput } from "../ui/search-input.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { deleteWithUndo, useHidden } from "../ui/undo.tsx";
import { deleteItem, listRegistry, type RegistryItem } from "./item.ts";
import { ItemDialog } from "./item-dialog.tsx";

const ItemHistory = lazy(async () => ({ default: (await import("./item-history.tsx")).ItemHistory }));

/** All registry items: dotted keys and their values. */
export function RegistryPage() {
  const hidden = useHidden();
  const [text, setText] = useState("");
  const [edited, setEdited] = useState<RegistryItem | "new">();
  const mayPublish = useWritesLive();
  const [past, setPast] = useState<RegistryItem>();
  const { data, error, refetch } = useQuery({ queryKey: ["registry"], queryFn: listRegistry });
  const wanted = text.trim().toLowerCase();
  const items = data
    ?.toSorted(ownFirst)
    .filter(({ key, value }) => !isHidden(hidden, key) && `${key} ${formatJson(value)}`.toLowerCase().includes(wanted));
  return (
    <Page
      title="Registry"
      description="Shared values under dotted keys: a title, a menu, a page size. Not for secrets."
      actions={
        <>
          <SearchInput label="Search in the registry" placeholder="Search" value={text} onChange={setText} w={180} />
          {mayPublish && (
            <Button leftSection={<Plus size={15} />} onClick={() => setEdited("new")}>
              New item
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <Failure error={error} title="The registry cannot be read" onRetry={() => void refetch()} />
      ) : !items ? (
        <Loading />
      ) : items.length === 0 ? (
        <Empty icon={SlidersHorizontal} title="Nothing found" />
      ) : (
        <Items items={items} onEdit={setEdited} onHistory={setPast} />
      )}
      {edited && (
        <ItemDialog
          key={edited === "new" ? "" : edited.key}
          item={edited === "new" ? undefined : edited}
          onEdit={setEdited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {past && (
        <Suspense>
          <ItemHistory id={past.key} onClose={() => setPast(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}

const ownFirst = (a: RegistryItem, b: RegistryItem): number => Number(a.read_only) - Number(b.read_only);

/** Deletes an item with all items below it. */
const isHidden = (hidden: ReadonlySet<string>, key: string): boolean =>
  key.split(".").some((_, i, segments) => hidden.has(`registry:${segments.slice(0, i + 1).join(".")}`));

type ItemsProps = { items: RegistryItem[]; onEdit(item: RegistryItem): void; onHistory(item: RegistryItem): void };

function Items({ items, onEdit, onHistory }: ItemsProps) {
  const mayPublish = useWritesLive();
  const remove = ({ key }: RegistryItem): void =>
    void deleteWithUndo([{ key: `registry:${key}`, name: key, send: () => deleteItem(key) }], {
      done: ["Deleted", ""],
      reread: () => refresh("registry"),
    });
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th visibleFrom="sm">Value</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={item.key}>
              <Table.Td className="mono registry-key" title={item.key}>
                {item.key}
                <Text size="xs" c="dimmed" hiddenFrom="sm" truncate>
                  {formatJson(item.value)}
                </Text>
              </Table.Td>
              <Table.Td data-fill visibleFrom="sm">
                <Code className="registry-value">{formatJson(item.value)}</Code>
              </Table.Td>
              <Table.Td>
                {item.read_only ? (
                  <Tooltip label="Describes the service; it cannot be changed">
                    <Badge color="gray" leftSection={<Lock size={11} />}>
                      Built in
                    </Badge>
                  </Tooltip>
                ) : (
                  <Group gap={2} wrap="nowrap" justify="flex-end">
                    {mayPublish && (
                      <ActionIcon onClick={() => onEdit(item)} aria-label={`Edit ${item.key}`}>
                        <Pencil size={15} />
                      </ActionIcon>
                    )}
                    <ActionIcon onClick={() => onHistory(item)} aria-label={`History of ${item.key}`}>
                      <History size={15} />
                    </ActionIcon>
                    {mayPublish && (
                      <ActionIcon onClick={() => remove(item)} aria-label={`Delete ${item.key}`}>
                        <Trash2 size={15} />
                      </ActionIcon>
                    )}
                  </Group>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
