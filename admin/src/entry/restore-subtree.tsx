import { Checkbox, List, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { stateLabel } from "../model/entry/field-words.ts";
import { formatMoment, fromLocalInput, toLocalInput } from "../model/format.ts";
import { rereadAll } from "../query/entry.ts";
import { FormDialog } from "../ui/dialog.tsx";

type RestoreSubtreeProps = {
  /** Empty for all entries. */
  path: string;
  onRestored?(): Promise<unknown>;
  onClose(): void;
};

const hour = 3600;

/** Asks for a moment, and restores the contents that all entries at and below a path had then. */
export function RestoreSubtree({ path, onRestored, onClose }: RestoreSubtreeProps) {
  const [text, setText] = useState(() => toLocalInput(Math.floor(Date.now() / 1000) - hour));
  const [isWhole, setWhole] = useState(false);
  const at = fromLocalInput(text);
  const restore = async (): Promise<void> => {
    if (at === undefined) return;
    const count = await octavo.entries.restoreSubtree(path, at, { state: isWhole });
    await onRestored?.();
    await rereadAll();
    notifications.show({ message: restoredWords(count, formatMoment(at)), autoClose: 10_000 });
  };
  return (
    <FormDialog
      title={path === "" ? say("Restore all entries") : say("Restore {path} and all below", { path })}
      submit={say("Restore")}
      onSubmit={restore}
      onClose={onClose}
      isDisabled={at === undefined}
    >
      <TextInput
        type="datetime-local"
        step={1}
        label={say("To the state of")}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={at === undefined ? say("A date and a time") : undefined}
        data-autofocus
        required
      />
      <Checkbox
        size="sm"
        label={stateLabel}
        checked={isWhole}
        onChange={(event) => setWhole(event.currentTarget.checked)}
      />
      <List size="sm" spacing={4}>
        <List.Item>
          {isWhole
            ? say(
                "Each entry gets the fields that it had then, with visibility, publish date, publisher, creator and routable: drafts of then are no longer public, and what was public then is.",
              )
            : say(
                "Each entry gets the fields that it had then, and stays as public as it is now: visibility and publish date are left alone.",
              )}
        </List.Item>
        <List.Item>{say("Entries stay where they are now, even if they were moved since.")}</List.Item>
        <List.Item>
          {say("Newer entries stay as they are. Deleted ones stay deleted: restore them in the trash.")}
        </List.Item>
      </List>
      <Text size="sm" c="dimmed">
        {say("What is replaced is kept in the history of each entry.")}
      </Text>
    </FormDialog>
  );
}

const restoredWords = (count: number, time: string): string =>
  count === 0
    ? say("Nothing to restore: no content has changed since {time}", { time })
    : sayMany(count, "Restored {count} entry to {time}", "Restored {count} entries to {time}", { time });
