import "./file.css";
import { ActionIcon, Button, FileButton, Group, Progress, Text } from "@mantine/core";
import { Check, Pause, Play, RotateCw, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { say, sayMany } from "../language/say.ts";
import { formatBytes } from "../model/format.ts";
import {
  cancel,
  clearUploads,
  findUnfinished,
  isOpen,
  pause,
  retry,
  type Upload,
  upload,
  useUploads,
} from "./uploads.ts";

const UploadQuestion = lazy(async () => ({ default: (await import("./upload-question.tsx")).UploadQuestion }));

/** Asks about uploads on every page, while there is something to ask. */
export function UploadQuestions() {
  const isAsking = useUploads().some(({ state }) => state === "asking");
  if (!isAsking) return null;
  return (
    <Suspense>
      <UploadQuestion />
    </Suspense>
  );
}

/** The uploads since the page was loaded, and those that an earlier one did not end, beside the navigation of every page. */
export function UploadTray() {
  const uploads = useUploads();
  useEffect(() => void findUnfinished(), []);
  if (uploads.length === 0) return null;
  const active = uploads.filter(({ state }) => state === "waiting" || state === "sending").length;
  const failed = uploads.filter(({ state }) => state === "failed").length;
  return (
    <section className="tray panel" aria-label={say("Uploads")}>
      <Group justify="space-between" px="sm" py={6} gap={4} className="tray-head">
        <Text size="sm" fw={600} aria-live="polite">
          {active > 0 ? sayMany(active, "Uploading {count} file", "Uploading {count} files") : say("Uploads")}
          {failed > 0 && `, ${say("{failed} failed", { failed })}`}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={clearUploads} disabled={uploads.every(isOpen)}>
          {say("Clear")}
        </Button>
      </Group>
      <ul className="tray-list">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

/** An upload with its progress, or what became of it. */
export function UploadRow({ upload, children }: { upload: Upload; children?: ReactNode }) {
  const { file, state, progress, note, isElsewhere } = upload;
  const isOver = !isOpen(upload);
  return (
    <li className="tray-row">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate flex={1}>
          {file.name}
        </Text>
        <Text size="xs" c="dimmed">
          {formatBytes(file.size)}
        </Text>
        <UploadButtons upload={upload} />
      </Group>
      {!isOver && (
        <Progress
          value={progress * 100}
          size="sm"
          mt={5}
          color={state === "paused" ? "gray" : undefined}
          aria-label={say("Progress of {name}", { name: file.name })}
          animated={state === "sending"}
        />
      )}
      {(isOver || state === "paused" || state === "asking") && (
        <Text size="xs" c={state === "failed" ? "red" : "dimmed"} lineClamp={3}>
          {state === "paused"
            ? pausedNote(progress, isElsewhere)
            : state === "asking"
              ? say("Waits for an answer")
              : note}
        </Text>
      )}
      {children}
    </li>
  );
}

const pausedNote = (progress: number, isElsewhere = false): string =>
  isElsewhere
    ? say("Paused at {percent} %: choose the file again to go on", { percent: Math.floor(progress * 100) })
    : say("Paused at {percent} %", { percent: Math.floor(progress * 100) });

function UploadButtons({ upload: each }: { upload: Upload }) {
  const { id, folder, file, state, isLarge, isElsewhere } = each;
  return (
    <>
      {isLarge && state === "sending" && (
        <ActionIcon size="sm" onClick={() => pause(id)} aria-label={say("Pause {name}", { name: file.name })}>
          <Pause size={14} />
        </ActionIcon>
      )}
      {state === "paused" && !isElsewhere && (
        <ActionIcon size="sm" onClick={() => retry(id)} aria-label={say("Resume {name}", { name: file.name })}>
          <Play size={14} />
        </ActionIcon>
      )}
      {state === "paused" && isElsewhere && (
        <FileButton onChange={(chosen) => chosen && upload(folder, [chosen])}>
          {(props) => (
            <ActionIcon size="sm" {...props} aria-label={say("Choose {name} again", { name: file.name })}>
              <Play size={14} />
            </ActionIcon>
          )}
        </FileButton>
      )}
      {isOpen(each) && (
        <ActionIcon size="sm" onClick={() => cancel(id)} aria-label={say("Cancel {name}", { name: file.name })}>
          <X size={15} />
        </ActionIcon>
      )}
      {(state === "failed" || state === "cancelled") && (
        <ActionIcon size="sm" onClick={() => retry(id)} aria-label={say("Retry {name}", { name: file.name })}>
          <RotateCw size={14} />
        </ActionIcon>
      )}
      {state === "done" && <Check size={16} className="tray-done" aria-label={say("Done")} />}
    </>
  );
}
