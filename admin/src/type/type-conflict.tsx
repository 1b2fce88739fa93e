import { Button, Group, Stack, Text } from "@mantine/core";
import { say } from "../language/say.ts";
import { Dialog } from "../ui/dialog.tsx";
import { notifyFailure } from "../ui/state.tsx";
import type { TypeEditing } from "./use-type-draft.ts";

/** A concurrent change of the type: asks which one to keep. */
export function TypeConflict({ editing: { fail, takeTheirs, saveOver, isSaving } }: { editing: TypeEditing }) {
  const close = (): void => fail(undefined);
  return (
    <Dialog title={say("Someone else saved meanwhile")} onClose={close}>
      <Stack>
        <Text size="sm">
          {say("This type was changed elsewhere after you opened it. Nothing of yours is saved yet.")}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {say("Go on editing")}
          </Button>
          <Button variant="default" onClick={() => void takeTheirs().catch(notifyFailure)}>
            {say("Take theirs")}
          </Button>
          <Button color="red" onClick={() => void saveOver()} loading={isSaving}>
            {say("Replace it by yours")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
