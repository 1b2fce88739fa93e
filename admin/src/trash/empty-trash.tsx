import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { TrashItem } from "../../../client/src/api.ts";
import { OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { formatBytes } from "../model/format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { Failure, Loading } from "../ui/state.tsx";

/** All items that this session sees. */
const listAll = (): Promise<TrashItem[]> => Array.fromAsync(octavo.trash.each({ limit: 1000 }));

/** Deletes the items for good that are in the trash when the dialog opens; later ones stay. */
export function EmptyTrash({ onClose }: { onClose(): void }) {
  const { data: items, error } = useQuery({ queryKey: ["trash", "all"], queryFn: listAll, staleTime: 0, gcTime: 0 });
  return (
    <Dialog onClose={onClose} title={say("Empty the trash?")}>
      {error ? (
        <Failure error={error} title={say("The trash cannot be read")} />
      ) : !items ? (
        <Loading rows={2} />
      ) : (
        <Purge items={items} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Purge({ items, onClose }: { items: readonly TrashItem[]; onClose(): void }) {
  // Items that are deleted meanwhile are not in the question.
  const [all] = useState(items);
  const { done, isRunning, error, start, stop } = usePurge(all, onClose);
  const bytes = all.reduce((sum, item) => sum + item.bytes, 0);
  return (
    <Stack gap="md">
      <Text size="sm">
        {sayMany(
          all.length,
          "{count} item with {bytes} and the history of all of it. This cannot be undone.",
          "{count} items with {bytes} and the history of all of it. This cannot be undone.",
          { bytes: formatBytes(bytes) },
        )}
      </Text>
      {isRunning && (
        <div>
          <Progress.Root size="lg">
            <Progress.Section value={(100 * done) / all.length} aria-label={say("Deleted items")} />
          </Progress.Root>
          <Text size="xs" c="dimmed" mt={4}>
            {say("{done} of {all}", { done, all: all.length })}
          </Text>
        </div>
      )}
      {error !== undefined && (
        <Failure error={error} title={sayMany(done, "Stopped after {count} item", "Stopped after {count} items")} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={isRunning ? stop : onClose}>
          {isRunning ? say("Stop") : say("Cancel")}
        </Button>
        <Button color="red" disabled={isRunning} onClick={() => void start()} data-autofocus>
          {say("Delete for good")}
        </Button>
      </Group>
    </Stack>
  );
}

/** Deletes the items one by one; stops after the present one when asked to, or when the dialog is closed. */
function usePurge(items: readonly TrashItem[], onEnd: () => void) {
  const [done, setDone] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const start = async (): Promise<void> => {
    setRunning(true);
    setError(undefined);
    let count = done;
    try {
      for (const { id } of items.slice(done)) {
        if (isStopped.current) break;
        await octavo.trash.purge(id).catch(ignoreGone);
        setDone(++count);
      }
      notifications.show({
        message:
          count === items.length
            ? sayMany(count, "Deleted {count} item for good", "Deleted {count} items for good")
            : sayMany(
                items.length,
                "Deleted {done} of {count} item for good",
                "Deleted {done} of {count} items for good",
                {
                  done: count,
                },
              ),
      });
      onEnd();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
    await refresh("trash");
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { done, isRunning, error, start, stop };
}

/** Someone else restored or purged it meanwhile, or it expired. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof OctavoProblem) || error.code !== "trash_item_not_found") throw error;
}
