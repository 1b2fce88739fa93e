import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { say } from "../language/say.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { CheckResult } from "./check-result.tsx";
import { schemaFaultOf } from "./fault-place.ts";
import { checkType, type TypeEditing } from "./use-type-draft.ts";

type CheckDialogProps = {
  editing: TypeEditing;
  /** Saves when all entries fit, and asks when some do not. */
  isSave: boolean;
  onClose(): void;
};

/** Checks the stored entries against the draft of their type. */
export function CheckDialog({ editing, isSave, onClose }: CheckDialogProps) {
  const { id, draft, save, fail } = editing;
  const {
    data: result,
    error,
    isFetching,
  } = useQuery({
    queryKey: ["type check", id, draft.paths, draft.schema],
    queryFn: ({ signal }) => checkType(id, draft, signal),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const saveNow = (): void => {
    onClose();
    void save();
  };
  const isPlaced = schemaFaultOf(error) !== undefined;
  const isFine = !isFetching && result?.failing === 0 && !result.has_more;
  const acts = { isPlaced, isFine, isSave, error, saveNow, onClose, fail };
  const current = useRef(acts);
  current.current = acts;
  useEffect(() => {
    const now = current.current;
    if (isPlaced) {
      now.fail(now.error);
      now.onClose();
    } else if (isFine && now.isSave) now.saveNow();
  }, [isPlaced, isFine]);
  return (
    <Dialog title={isSave ? say("Save the type") : say("Check entries")} size="lg" onClose={onClose}>
      <Stack gap="md">
        {error ? (
          <Failure error={error} title={say("The entries cannot be checked")} />
        ) : isFetching || !result ? (
          <>
            <Text size="sm">{say("Checking the entries of this type…")}</Text>
            <Loading rows={3} />
          </>
        ) : (
          <>
            <CheckResult result={result} />
            {result.failing > 0 && <Savable />}
          </>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {isSave ? say("Go on editing") : say("Close")}
          </Button>
          {isSave && (
            <Button onClick={saveNow}>{isFetching ? say("Save without the check") : say("Save all the same")}</Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

const Savable = () => (
  <Text size="sm" c="dimmed">
    {say(
      "The type can be saved all the same. These entries stay as they are, and can be changed: an update of one is refused only for faults that it brings.",
    )}
  </Text>
);
