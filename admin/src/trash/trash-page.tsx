import { Badge, Button, Group, Select, Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { Search, Trash2 } from "lucide-react";
import { useState } from "react";
import type { TrashItem } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { hasTrash } from "../api/session.ts";
import { type TrashNoun, trashNouns } from "../api/trash.ts";
import { say, sayMany } from "../language/say.ts";
import { formatBytes } from "../model/format.ts";
import { languageName } from "../model/locale.ts";
import { countOf, nounLabels, resources } from "../model/trash-noun.ts";
import { useActorName } from "../query/actor-name.ts";
import { useSession } from "../session-context.ts";
import { type Column, from, ListPage, usePages } from "../ui/list.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { EmptyTrash } from "./empty-trash.tsx";
import { ItemActions } from "./item-actions.tsx";

const pageItems = 50;

/** What was deleted: one item for each deletion. */
export function TrashPage() {
  const { token } = useSession();
  const actorName = useActorName();
  const [text, setText] = useState("");
  const [noun, setNoun] = useState<TrashNoun>();
  const [isEmptying, emptying] = useDisclosure(false);
  const [settled] = useDebouncedValue(text.trim(), 200);
  const { list, items } = usePages({
    queryKey: ["trash", noun, settled],
    queryFn: ({ pageParam: cursor }) =>
      octavo.trash.list({ limit: pageItems, cursor, noun, search: settled || undefined }),
    isKept: true,
    // Other clients delete, too.
    staleTime: 0,
  });
  const nouns = trashNouns.filter((each) => token.resources.includes(resources[each]));
  return (
    <ListPage
      title={say("Trash")}
      description={say("What was deleted, with all below it, until it expires.")}
      actions={
        <>
          <SearchInput
            label={say("Search in the trash")}
            placeholder={say("A part of the path")}
            value={text}
            onChange={setText}
            w={190}
          />
          <Select
            aria-label={say("Kind")}
            placeholder={say("Everything")}
            data={nouns.map((each) => ({ value: each, label: nounLabels[each].many }))}
            value={noun ?? null}
            onChange={(chosen) => setNoun((chosen as TrashNoun | null) ?? undefined)}
            clearable
            clearButtonProps={{ "aria-label": say("Everything") }}
            w={140}
          />
          <Button
            variant="default"
            leftSection={<Trash2 size={15} />}
            disabled={items === undefined || (items.length === 0 && !noun && settled === "")}
            onClick={emptying.open}
          >
            {say("Empty trash")}
          </Button>
        </>
      }
      list={list}
      items={items}
      failure={say("The trash cannot be read")}
      empty={noun || settled ? <Empty icon={Search} title={say("Nothing found")} /> : <NothingDeleted />}
      table={{ columns: columnsOf(actorName), keyOf: ({ id }) => id }}
    >
      {isEmptying && <EmptyTrash onClose={emptying.close} />}
    </ListPage>
  );
}

function NothingDeleted() {
  const { trash_keep_days: days } = useSession();
  return hasTrash() ? (
    <Empty icon={Trash2} title={say("The trash is empty")}>
      {sayMany(
        days,
        "Deleted entries, folders and files are kept here for {count} day, unless you delete them for good.",
        "Deleted entries, folders and files are kept here for {count} days, unless you delete them for good.",
      )}
    </Empty>
  ) : (
    <Empty icon={Trash2} title={say("This service has no trash")}>
      {say("What is deleted is deleted for good: the setting trash_keep_days is 0.")}
    </Empty>
  );
}

const columnsOf = (actorName: (id: string, name?: string) => string): Column<TrashItem>[] => [
  {
    label: say("What"),
    cell: { "data-fill": true },
    show: (item) => (
      <>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={550} truncate>
            {nameOf(item.path)}
          </Text>
          <Badge color="gray">{item.locale ? languageName(item.locale) : nounLabels[item.noun].one}</Badge>
        </Group>
        <Text size="xs" c="dimmed" className="mono" truncate title={item.path}>
          {item.path}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {sayParts("{items}, {time} by {name}, expires {end}", {
            items: countOf(item),
            time: <Ago seconds={item.deleted_at} />,
            name: actorName(item.deleted_by, item.deleted_by_name),
            end: <Ago seconds={item.expires_at} />,
          })}
        </Text>
      </>
    ),
  },
  {
    label: say("Contents"),
    ...from("md"),
    show: (item) => (
      <>
        {countOf(item)}
        <br />
        {formatBytes(item.bytes)}
      </>
    ),
  },
  {
    label: say("Deleted"),
    ...from("sm"),
    show: (item) => (
      <>
        <Ago seconds={item.deleted_at} />
        <br />
        {actorName(item.deleted_by, item.deleted_by_name)}
      </>
    ),
  },
  { label: say("Expires"), ...from("sm"), show: ({ expires_at: at }) => <Ago seconds={at} /> },
  { show: (item) => <ItemActions item={item} /> },
];
