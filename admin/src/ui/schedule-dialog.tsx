import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { say } from "../language/say.ts";
import { fromLocalInput, toLocalInput } from "../model/format.ts";
import { FormDialog } from "./dialog.tsx";

const daySeconds = 86_400;

type TimeInputProps = { label: string; text: string; onChange(text: string): void; error?: string | undefined };

/** A date and a time. */
export const TimeInput = ({ label, text, onChange, error }: TimeInputProps) => (
  <TextInput
    type="datetime-local"
    step={1}
    label={label}
    description={say("In the time zone of this device.")}
    value={text}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error}
    data-autofocus
    required
  />
);

/** A time in the future; at first tomorrow's, to the minute. */
export function useFuture(): { text: string; setText(text: string): void; at: number | undefined } {
  const [text, setText] = useState(() => toLocalInput(Math.floor(Date.now() / 60_000) * 60 + daySeconds));
  const at = fromLocalInput(text);
  return { text, setText, at: at !== undefined && at > Date.now() / 1000 ? at : undefined };
}

export const notFuture = say("A date and a time in the future");

type ScheduleProps = { outdated: readonly string[]; onSubmit(at: number): Promise<unknown>; onClose(): void };

/** Asks when to publish. */
export function ScheduleDialog({ outdated, onSubmit, onClose }: ScheduleProps) {
  const { text, setText, at } = useFuture();
  return (
    <FormDialog
      title={say("Schedule publishing")}
      submit={say("Schedule")}
      onClose={onClose}
      isDisabled={at === undefined}
      onSubmit={async () => {
        if (at !== undefined) await onSubmit(at);
      }}
    >
      <TimeInput
        label={say("Publish at")}
        text={text}
        onChange={setText}
        error={at === undefined ? notFuture : undefined}
      />
      {outdated.length > 0 && (
        <Text size="sm">
          {say("{outdated}: corrected on the site after these changes were begun. It will put that back.", {
            outdated: outdated.join(", "),
          })}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {say("Until then the changes are frozen. The time can be taken back.")}
      </Text>
    </FormDialog>
  );
}
