import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { CalendarClock, FilePen } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useWrites, useWritesLive } from "../session-context.ts";
import { Confirm, FormDialog } from "../ui/dialog.tsx";
import { formatMoment, fromLocalInput, toLocalInput } from "../ui/format.ts";
import type { Editing } from "./use-draft.ts";

const StagedDifference = lazy(async () => ({ default: (await import("./staged-difference.tsx")).StagedDifference }));

/** What an entry has that is not published: changes, a time, or all of it. Nothing for a live entry without changes. */
export function Unpublished({ editing }: { editing: Editing }) {
  const { base, copy } = editing;
  if (copy?.publishAt !== undefined) return <Scheduled editing={editing} at={copy.publishAt} />;
  if (copy)
    return (
      <Notice title="Unpublished changes" editing={editing}>
        Only management and preview tokens read them. Others read the entry without them.
      </Notice>
    );
  if (base.visibility === "draft")
    return (
      <Notice title="Not on the site yet" editing={editing}>
        It is a draft: nobody sees it there until it is published.
      </Notice>
    );
  return null;
}

type NoticeProps = { title: string; editing: Editing; children: string };

function Notice({ title, editing, children }: NoticeProps) {
  const { copy, isDirty, isSaving, publish, discardCopy } = editing;
  const [isScheduling, scheduling] = useDisclosure(false);
  const [isDiscarding, discarding] = useDisclosure(false);
  const mayPublish = useWritesLive();
  const mayWrite = useWrites();
  const isHeld = isDirty || isSaving;
  return (
    <Alert color="yellow" icon={<FilePen size={18} />} title={title} mb="md" className="unpublished">
      <Stack gap="xs">
        <span>
          {children} {!mayPublish && "You do not publish: others do."}
          {mayPublish && isDirty && "Save what you changed here before you publish."}
        </span>
        <Group gap="xs">
          {copy && <WhatDiffers editing={editing} />}
          {mayPublish && (
            <>
              <Button size="xs" disabled={isHeld} onClick={() => void publish()}>
                Publish
              </Button>
              <Button size="xs" variant="default" disabled={isHeld} onClick={scheduling.open}>
                Schedule…
              </Button>
            </>
          )}
          {copy && mayWrite && (
            <Button size="xs" variant="default" disabled={isHeld} onClick={discarding.open}>
              Discard
            </Button>
          )}
        </Group>
      </Stack>
      {isScheduling && <Schedule onSubmit={publish} onClose={scheduling.close} />}
      {isDiscarding && (
        <Confirm
          title="Discard the unpublished changes?"
          submit="Discard changes"
          onSubmit={discardCopy}
          onClose={discarding.close}
        >
          The entry stays as it is published. The changes are not kept in its history.
          {!mayPublish && " You can discard them only if nobody else has changed them, too."}
        </Confirm>
      )}
    </Alert>
  );
}

function Scheduled({ editing, at }: { editing: Editing; at: number }) {
  const mayPublish = useWritesLive();
  return (
    <Alert color="blue" icon={<CalendarClock size={18} />} title="Scheduled" mb="md" className="unpublished">
      <Stack gap="xs">
        <span>
          It will be published on {formatMoment(at)}. Until then nothing can be changed here
          {mayPublish ? "; take the time back to edit." : ". Whoever publishes can take the time back."}
        </span>
        <Group gap="xs">
          <WhatDiffers editing={editing} />
          {mayPublish && (
            <Button size="xs" variant="default" loading={editing.isSaving} onClick={() => void editing.publish(null)}>
              Take back
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function WhatDiffers({ editing }: { editing: Editing }) {
  const [isOpen, difference] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={difference.open}>
        What differs
      </Button>
      {isOpen && (
        <Suspense>
          <StagedDifference staged={editing.base} onClose={difference.close} />
        </Suspense>
      )}
    </>
  );
}

const daySeconds = 86_400;

type ScheduleProps = { onSubmit(at: number): Promise<void>; onClose(): void };

/** Asks when to publish. */
function Schedule({ onSubmit, onClose }: ScheduleProps) {
  const [text, setText] = useState(() => toLocalInput(Math.floor(Date.now() / 1000) + daySeconds));
  const at = fromLocalInput(text);
  const isFuture = at !== undefined && at > Date.now() / 1000;
  return (
    <FormDialog
      title="Schedule publishing"
      submit="Schedule"
      onClose={onClose}
      isDisabled={!isFuture}
      onSubmit={async () => {
        if (at !== undefined) await onSubmit(at);
      }}
    >
      <TextInput
        type="datetime-local"
        step={1}
        label="Publish at"
        description="In the time zone of this device."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={isFuture ? undefined : "A date and a time in the future"}
        data-autofocus
        required
      />
      <Text size="sm" c="dimmed">
        Until then the changes are frozen. The time can be taken back.
      </Text>
    </FormDialog>
  );
}
