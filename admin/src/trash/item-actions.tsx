import { Button, Group, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { FolderInput, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { TrashItem } from "../../../client/src/api.ts";
import { OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { countOf } from "../model/trash-noun.ts";
import { PathDialog } from "../move/path-dialog.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { fileAddress } from "../ui/file-address.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { notifyFailure } from "../ui/state.tsx";

/** Reloads the trash and all lists where something may be back. */
const reread = (): Promise<unknown> => refresh("trash", "children", "collection", "entry", "files", "folders", "file");

/** A question about an item: a path to restore it to, with the reason why it is asked, or whether to purge it. */
type ItemQuestion = { what: "path"; fault?: string } | { what: "purge" };

/** Restores an item of the trash, or deletes it for good. */
export function ItemActions({ item }: { item: TrashItem }) {
  const name = nameOf(item.path);
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<ItemQuestion>();
  const restoreInPlace = async (): Promise<void> => {
    setBusy(true);
    try {
      await restore(item);
    } catch (error) {
      if (isAboutPath(error)) setAsked({ what: "path", fault: messageOf(error) });
      else {
        notifyFailure(error);
        await refresh("trash");
      }
    }
    setBusy(false);
  };
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        leftSection={<RotateCcw size={14} />}
        loading={isBusy}
        aria-label={say("Restore {name}", { name })}
        onClick={() => void restoreInPlace()}
      >
        {say("Restore")}
      </Button>
      <ItemMenu name={name} onAsk={setAsked} />
      {asked && <Question item={item} asked={asked} onClose={() => setAsked(undefined)} />}
    </Group>
  );
}

async function restore({ id }: TrashItem, newId?: string): Promise<void> {
  const restored = await octavo.trash.restore(id, { newId });
  notifications.show({ message: <Restored item={restored} /> });
  await reread();
}

type QuestionProps = { item: TrashItem; asked: ItemQuestion; onClose(): void };

function Question({ item, asked, onClose }: QuestionProps) {
  const name = nameOf(item.path);
  if (asked.what === "path")
    return (
      <PathDialog
        title={say("Restore {name}", { name })}
        submit={say("Restore")}
        label={item.noun === "entry" ? say("Id") : say("Path")}
        initial={item.path}
        fault={asked.fault}
        faultOf={(error) => (isAboutPath(error) ? messageOf(error) : undefined)}
        help={say("Missing folders are created. All below it is restored with it.")}
        onSubmit={(path) => restore(item, path)}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      title={say("Delete {name} for good?", { name })}
      submit={say("Delete for good")}
      onClose={onClose}
      onSubmit={async () => {
        await octavo.trash.purge(item.id);
        await refresh("trash");
      }}
    >
      {say("{count} and the history of all of it. This cannot be undone.", { count: countOf(item) })}
    </Confirm>
  );
}

const ItemMenu = ({ name, onAsk }: { name: string; onAsk(asked: ItemQuestion): void }) => (
  <RowMenu name={name}>
    <Menu.Item leftSection={<FolderInput size={15} />} onClick={() => onAsk({ what: "path" })}>
      {say("Restore elsewhere…")}
    </Menu.Item>
    <RemovalItem label={say("Delete for good…")} onClick={() => onAsk({ what: "purge" })} />
  </RowMenu>
);

const pathProblems = new Set(["entry_exists", "folder_exists", "file_exists", "path_invalid", "file_type_refused"]);
const isAboutPath = (error: unknown): boolean => error instanceof OctavoProblem && pathProblems.has(error.code);

function Restored({ item: { noun, path } }: { item: TrashItem }) {
  const href = noun === "file" ? fileAddress(path) : addressOf(noun === "entry" ? "entries" : "files", path);
  return <>{sayParts("Restored {link}", { link: <Link href={href}>{path}</Link> })}</>;
}
