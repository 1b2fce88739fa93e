import { Stack, Text } from "@mantine/core";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { notFuture, TimeInput, useFuture } from "../ui/schedule-dialog.tsx";

type UnpublishProps = {
  /** There are changes that are not published: a time would hold them up, too. */
  hasCopy: boolean;
  onSubmit(at: number): Promise<unknown>;
  onClose(): void;
};

/** Asks when the entry goes off the site. */
export function UnpublishDialog({ hasCopy, onSubmit, onClose }: UnpublishProps) {
  const { text, setText, at } = useFuture();
  return (
    <FormDialog
      title={say("Take it off the site")}
      submit={say("Schedule")}
      isDisabled={at === undefined || hasCopy}
      onSubmit={async () => {
        if (at !== undefined) await onSubmit(at);
      }}
      onClose={onClose}
    >
      {hasCopy ? (
        <Text size="sm">
          {say("It has changes that are not published. Publish or discard them first: a time would hold them up, too.")}
        </Text>
      ) : (
        <Stack gap="sm">
          <TimeInput
            label={say("Unpublish at")}
            text={text}
            onChange={setText}
            error={at === undefined ? notFuture : undefined}
          />
          <Text size="sm" c="dimmed">
            {say("Until then nothing can be changed in it. The time can be taken back.")}
          </Text>
        </Stack>
      )}
    </FormDialog>
  );
}
