import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { messageOf } from "./state.tsx";

/**
 * Deletions that can be taken back: what is deleted disappears at once, the request goes out eight seconds later, or
 * when the page is left.
 */

export const heldBackMs = 8000;

type Held = { key: string; send(keepalive: boolean): Promise<void>; timer: ReturnType<typeof setTimeout> };

let held: readonly Held[] = [];
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function hold(change: readonly Held[], sent?: string): void {
  held = change;
  const keys = new Set(held.map(({ key }) => key));
  if (sent !== undefined) keys.add(sent);
  hidden = keys;
  for (const listener of listeners) listener();
}

/** Keys of what is being deleted: not to be shown. */
export const useHidden = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );

addEventListener("pagehide", () => {
  for (const { timer, send } of held) {
    clearTimeout(timer);
    void send(true);
  }
});

export type Deletion = {
  /** What is hidden meanwhile, `entry:movies/alien`. */
  key: string;
  /** What it is called. */
  name: string;
  send(keepalive: boolean): Promise<void>;
  /** Reads the lists anew. */
  onSent(): Promise<unknown>;
};

export function deleteWithUndo({ key, name, send, onSent }: Deletion): void {
  const id = `undo ${key}`;
  const without = () => held.filter((one) => one.key !== key);
  const finish = async (): Promise<void> => {
    notifications.hide(id);
    hold(without(), key);
    try {
      await send(false);
    } catch (error) {
      notifications.show({ color: "red", title: `${name} was not deleted`, message: messageOf(error) });
    }
    await onSent();
    hold(without());
  };
  const undo = (): void => {
    clearTimeout(held.find((one) => one.key === key)?.timer);
    hold(without());
    notifications.hide(id);
  };
  hold([...without(), { key, send, timer: setTimeout(finish, heldBackMs) }]);
  notifications.show({
    id,
    autoClose: false,
    withCloseButton: false,
    message: <UndoNotice name={name} onUndo={undo} />,
    className: "undo-notice",
  });
}

function UndoNotice({ name, onUndo }: { name: string; onUndo(): void }) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" truncate>
          Deleted <b>{name}</b>
        </Text>
        <Button size="compact-sm" variant="light" onClick={onUndo}>
          Undo
        </Button>
      </Group>
      <div className="undo-time" style={{ animationDuration: `${heldBackMs}ms` }} />
    </>
  );
}
