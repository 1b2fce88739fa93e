import { Text } from "@mantine/core";
import { useState } from "react";
import { say } from "../language/say.ts";
import type { DraftEdit } from "../model/draft/editing.ts";
import { fromLocalInput, toLocalInput } from "../model/format.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TimeInput } from "../ui/schedule-dialog.tsx";

/** Sets the publish date, as one of the changes that are saved or published next. */
export function DateDialog({ editing: { draft, edit }, onClose }: { editing: DraftEdit; onClose(): void }) {
  const [text, setText] = useState(() => toLocalInput(Number(draft.published_at)));
  const at = fromLocalInput(text);
  return (
    <FormDialog
      title={say("Set the publish date")}
      submit={say("Set")}
      isDisabled={at === undefined}
      onSubmit={async () => {
        if (at !== undefined) edit((before) => ({ ...before, published_at: at }));
      }}
      onClose={onClose}
    >
      <TimeInput label={say("Publish date")} text={text} onChange={setText} />
      <Text size="sm" c="dimmed">
        {say(
          "The date that readers see, and by which lists are in order. With one in the future nobody sees the entry before.",
        )}
      </Text>
    </FormDialog>
  );
}
