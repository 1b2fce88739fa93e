import { Box, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { say, sayMany } from "../language/say.ts";
import { doEach, type Failures } from "../model/bulk/each.ts";
import { focusContent } from "./content.ts";
import { storeOf } from "./store.ts";

/** Deletions, which are sent at once, and the notification that offers to undo a change. */

const shownMs = 8000;

const hidden = storeOf<ReadonlySet<string>>(new Set());

/** Keys of the items being deleted: they are hidden. */
export const useHidden = hidden.use;

// Those that were not sent yet would stay: the browser asks before leaving.
addEventListener("beforeunload", (event) => {
  if (hidden.get().size > 0) event.preventDefault();
});

/** How to undo a deletion, and what was deleted along with the item. */
export type Undo = { run(): Promise<unknown>; more?: string | undefined };

export type Deletion = {
  /** The key of the item to hide, `entry:movies/alien`. */
  key: string;
  /** The name of the item. */
  name: string;
  /** Deletes it, unless `together` has; undefined if that cannot be undone. */
  send(): Promise<Undo | undefined>;
};

type DeletionWords = {
  /** "Moved Alien to the trash". */
  done(name: ReactNode): ReactNode;
  /** Reloads the lists. */
  reread(): Promise<unknown>;
  /** Deletes all of them, or none, before `send` is called for each. */
  together?(): Promise<Failures<unknown>>;
};

/** Deletes the items, in sequence where there is no `together`, with one undo for all. */
export async function deleteWithUndo(
  deletions: readonly Deletion[],
  { done, reread, together }: DeletionWords,
): Promise<void> {
  const keys = new Set(deletions.map(({ key }) => key));
  hidden.set(new Set([...hidden.get(), ...keys]));
  const undos: { name: string; undo: Undo }[] = [];
  const refused = await together?.();
  const failures = refused?.failed.length
    ? { ...refused, failed: [...deletions] }
    : await doEach(deletions, nameOf, async ({ name, send }) => {
        const undo = await send();
        if (undo) undos.push({ name, undo });
      });
  notifyFailed(say("Not deleted"), failures);
  const deleted = deletions.filter((deletion) => !failures.failed.includes(deletion));
  const restore = async (): Promise<void> => {
    notifyFailed(say("Not restored"), await doEach(undos, nameOf, ({ undo }) => undo.run()));
    await reread();
  };
  if (deleted.length > 0) {
    const [only] = deleted.length === 1 ? deleted : [];
    const name = only?.name ?? sayMany(deleted.length, "{count} item", "{count} items");
    const onUndo = undos.length > 0 ? () => void restore() : undefined;
    notifyDone({ done, name, more: only && undos[0]?.undo.more, onUndo });
  }
  await reread();
  hidden.set(new Set([...hidden.get()].filter((key) => !keys.has(key))));
}

const nameOf = ({ name }: { name: string }): string => name;

/** Names what failed of a bulk action, until it is closed. */
export function notifyFailed(
  title: string,
  { failed, message }: { failed: readonly unknown[]; message: string },
): void {
  if (failed.length === 0) return;
  notifications.show({ color: "red", title, message, autoClose: false, classNames: { description: "lines" } });
}

/** Offers to undo a change; returns a function that closes the notification. */
export const offerUndo = (verb: string, name: string, onUndo: () => void, more?: ReactNode): (() => void) =>
  notifyDone({
    id: `undo ${verb} ${name}`,
    done: (shown) => (
      <>
        {verb} {shown}
      </>
    ),
    name,
    more,
    onUndo,
  });

/** The same for a control: what it offered is closed when it goes. */
export function useUndoOffers(): typeof offerUndo {
  const notices = useRef<(() => void)[]>([]);
  useEffect(() => {
    const all = notices.current;
    return () => {
      for (const close of all) close();
    };
  }, []);
  return useCallback((...offer) => {
    const close = offerUndo(...offer);
    notices.current.push(close);
    return close;
  }, []);
}

type Done = Pick<DeletionWords, "done"> & {
  name: string;
  more?: ReactNode;
  onUndo: (() => void) | undefined;
};

/** With an id it is shown once at a time. */
function notifyDone({ id: given, onUndo, ...words }: Done & { id?: string }): () => void {
  const undo = (): void => {
    close();
    onUndo?.();
    focusContent();
  };
  const id = notifications.show({
    ...(given !== undefined && { id: given }),
    autoClose: shownMs,
    withCloseButton: false,
    message: <DoneNotice {...words} onUndo={onUndo && undo} />,
    className: "undo-notice",
  });
  const close = (): void => void notifications.hide(id);
  return close;
}

function DoneNotice({ done, name, more, onUndo }: Done) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Box miw={0}>
          <Text size="sm" className="undo-text">
            {done(<b>{name}</b>)}
          </Text>
          <Text size="xs">{more}</Text>
        </Box>
        {onUndo && (
          <Button size="compact-sm" variant="light" onClick={onUndo} flex="none">
            {say("Undo")}
          </Button>
        )}
      </Group>
      <div className="undo-time" style={{ animationDuration: `${shownMs}ms` }} />
    </>
  );
}
