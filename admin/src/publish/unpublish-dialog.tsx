import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../ui/dialog.tsx";
import { Segments } from "../ui/segments.tsx";
import { notFuture, TimeInput, useFuture } from "./schedule-dialog.tsx";

type UnpublishProps = {
  /** There are changes that are not published: a time would hold them up, too. */
  hasCopy: boolean;
  /** Without a time now. */
  onSubmit(at: number | undefined): Promise<unknown>;
  onClose(): void;
};

/** Asks when the entry goes off the site. */
export function UnpublishDialog({ hasCopy, onSubmit, onClose }: UnpublishProps) {
  const [when, setWhen] = useState<"now" | "later">("now");
  const { text, setText, at } = useFuture();
  const isLater = when === "later";
  return (
    <FormDialog
      title="Take it off the site"
      submit={isLater ? "Schedule" : "Unpublish"}
      isDisabled={isLater && (at === undefined || hasCopy)}
      onSubmit={async () => void (await onSubmit(isLater ? at : undefined))}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Segments label="When" options={{ now: "Now", later: "At a time" }} value={when} onChange={setWhen} fullWidth />
        {!isLater ? (
          <Text size="sm">It becomes a draft: readers find nothing at its address. Publishing brings it back.</Text>
        ) : hasCopy ? (
          <Text size="sm">
            It has changes that are not published. Publish or discard them first: a time would hold them up, too.
          </Text>
        ) : (
          <>
            <TimeInput
              label="Unpublish at"
              text={text}
              onChange={setText}
              error={at === undefined ? notFuture : undefined}
            />
            <Text size="sm" c="dimmed">
              Until then nothing can be changed in it. The time can be taken back.
            </Text>
          </>
        )}
      </Stack>
    </FormDialog>
  );
}
