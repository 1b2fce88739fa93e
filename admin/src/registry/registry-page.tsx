import { ActionIcon, Badge, Button, Code, Group, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { History, Lock, Pencil, Plus, SlidersHorizontal, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { formatJson } from "../api/json.ts";
import { say } from "../language/say.ts";
import { useWritesLive } from "../session-context.ts";
import { type Column, ListPage } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { Empty } from "../ui/state.tsx";
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
  const list = useQuery({ queryKey: ["registry"], queryFn: listRegistry });
  const wanted = text.trim().toLowerCase();
  const items = list.data
    ?.toSorted(ownFirst)
    .filter(({ key, value }) => !isHidden(hidden, key) && `${key} ${formatJson(value)}`.toLowerCase().includes(wanted));
  const buttons: Column<RegistryItem> = {
    show: (item) => <Buttons item={item} onEdit={setEdited} onHistory={setPast} />,
  };
  return (
    <ListPage
      title={say("Registry")}
      description={say("Shared values under dotted keys: a title, a menu, a page size. Not for secrets.")}
      actions={
        <>
          <SearchInput
            label={say("Search in the registry")}
            placeholder={say("Search")}
            value={text}
            onChange={setText}
            w={180}
          />
          {mayPublish && (
            <Button leftSection={<Plus size={15} />} onClick={() => setEdited("new")}>
              {say("New item")}
            </Button>
          )}
        </>
      }
      list={list}
      items={items}
      failure={say("The registry cannot be read")}
      empty={<Empty icon={SlidersHorizontal} title={say("Nothing found")} />}
      table={{ columns: [...columns, buttons], keyOf: ({ key }) => key }}
    >
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
    </ListPage>
  );
}

const ownFirst = (a: RegistryItem, b: RegistryItem): number => Number(a.read_only) - Number(b.read_only);

/** Deletes an item with all items below it. */
const isHidden = (hidden: ReadonlySet<string>, key: string): boolean =>
  key.split(".").some((_, i, segments) => hidden.has(`registry:${segments.slice(0, i + 1).join(".")}`));

const columns: Column<RegistryItem>[] = [
  {
    label: say("Key"),
    cell: { className: "mono registry-key" },
    titleOf: ({ key }) => key,
    show: ({ key, value }) => (
      <>
        {key}
        <Text size="xs" c="dimmed" hiddenFrom="sm" truncate>
          {formatJson(value)}
        </Text>
      </>
    ),
  },
  {
    label: say("Value"),
    both: { visibleFrom: "sm" },
    cell: { "data-fill": true },
    show: ({ value }) => <Code className="registry-value">{formatJson(value)}</Code>,
  },
];

const remove = ({ key }: RegistryItem): void =>
  void deleteWithUndo([{ key: `registry:${key}`, name: key, send: () => deleteItem(key) }], {
    done: (name) => sayParts("Deleted {name}", { name }),
    reread: () => refresh("registry"),
  });

type ButtonsProps = { item: RegistryItem; onEdit(item: RegistryItem): void; onHistory(item: RegistryItem): void };

function Buttons({ item, onEdit, onHistory }: ButtonsProps) {
  const mayPublish = useWritesLive();
  if (item.read_only)
    return (
      <Tooltip label={say("Describes the service; it cannot be changed")}>
        <Badge color="gray" leftSection={<Lock size={11} />}>
          {say("Built in")}
        </Badge>
      </Tooltip>
    );
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {mayPublish && (
        <ActionIcon onClick={() => onEdit(item)} aria-label={say("Edit {key}", { key: item.key })}>
          <Pencil size={15} />
        </ActionIcon>
      )}
      <ActionIcon onClick={() => onHistory(item)} aria-label={say("History of {key}", { key: item.key })}>
        <History size={15} />
      </ActionIcon>
      {mayPublish && (
        <ActionIcon onClick={() => remove(item)} aria-label={say("Delete {key}", { key: item.key })}>
          <Trash2 size={15} />
        </ActionIcon>
      )}
    </Group>
  );
}
