import { Box, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useSyncExternalStore } from "react";
import { focusContent } from "./content.ts";
import { doEach } from "./each.ts";
import { plural } from "./format.ts";

/**
 * Deletions with undo: the deleted item is hidden at once, and the request is sent eight seconds later, or when the
 * page is left.
 */

const heldBackMs = 8000;

/** Deletions that are delayed or being sent. */
type Held = { deletions: readonly Deletion[]; timer: ReturnType<typeof setTimeout> };

let held: readonly Held[] = [];
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function hold(change: readonly Held[]): void {
  held = change;
  hidden = new Set(held.flatMap(({ deletions }) => deletions.map(({ key }) => key)));
  for (const listener of listeners) listener();
}

/** Keys of the items being deleted: they are hidden. */
export const useHidden = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );

// Including requests in flight: leaving the page aborts them. Repeating a completed deletion does nothing.
addEventListener("pagehide", () => {
  for (const { deletions, timer } of held) {
    clearTimeout(timer);
    for (const { send } of deletions) void send(true);
  }
});

/** A browser sends at most some 250 requests while a page is unloaded. */
const takenAlong = 200;

// More would be lost silently: the browser asks before leaving.
addEventListener("beforeunload", (event) => {
  if (hidden.size > takenAlong) event.preventDefault();
});

type Deletion = {
  /** The keys of the items to hide, `entry:movies/alien`. */
  key: string;
  /** The name of the item. */
  name: string;
  /** What is deleted along with a single item. */
  more?: ReactNode;
  send(keepalive: boolean): Promise<void>;
};

/** Deletes the items in sequence, unless the user undoes it; `onSent` reloads the lists. */
export function deleteWithUndo(deletions: readonly Deletion[], onSent: () => Promise<unknown>): void {
  const id = `undo ${deletions.map(({ key }) => key).join(" ")}`;
  const release = (): void => hold(held.filter((other) => other !== one));
  const finish = async (): Promise<void> => {
    notifications.hide(id);
    const { failed, message } = await doEach(
      deletions,
      ({ name }) => name,
      ({ send }) => send(false),
    );
    if (failed.length > 0) {
      const classNames = { description: "lines" };
      notifications.show({ color: "red", title: "Not deleted", message, autoClose: false, classNames });
    }
    await onSent();
    release();
  };
  const undo = (): void => {
    clearTimeout(one.timer);
    release();
    notifications.hide(id);
    focusContent();
  };
  const one: Held = { deletions, timer: setTimeout(finish, heldBackMs) };
  hold([...held, one]);
  const [first, ...others] = deletions;
  const only = others.length === 0 ? first : undefined;
  notifications.show({
    id,
    autoClose: false,
    withCloseButton: false,
    message: (
      <UndoNotice
        verb="Deleted"
        name={only?.name ?? plural(deletions.length, "item")}
        more={only?.more}
        onUndo={undo}
      />
    ),
    className: "undo-notice",
  });
}

/** Offers to undo a change that was made only on this page; returns a function that closes the notification. */
export function offerUndo(verb: string, name: string, onUndo: () => void): () => void {
  const id = `undo ${verb} ${name}`;
  const close = (): void => void notifications.hide(id);
  const undo = (): void => {
    close();
    onUndo();
    focusContent();
  };
  notifications.show({
    id,
    autoClose: heldBackMs,
    withCloseButton: false,
    message: <UndoNotice verb={verb} name={name} onUndo={undo} />,
    className: "undo-notice",
  });
  return close;
}

type UndoNoticeProps = { verb: string; name: string; more?: ReactNode; onUndo(): void };

function UndoNotice({ verb, name, more, onUndo }: UndoNoticeProps) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Box miw={0}>
          <Text size="sm" truncate>
            {verb} <b>{name}</b>
          </Text>
          <Text size="xs">{more}</Text>
        </Box>
        <Button size="compact-sm" variant="light" onClick={onUndo}>
          Undo
        </Button>
      </Group>
      <div className="undo-time" style={{ animationDuration: `${heldBackMs}ms` }} />
    </>
  );
}
