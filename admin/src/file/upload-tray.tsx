import "./file.css";
import { ActionIcon, Button, Group, Progress, Text } from "@mantine/core";
import { Check, RotateCw, X } from "lucide-react";
import type { ReactNode } from "react";
import { formatBytes, formatCount, plural } from "../ui/format.ts";
import { cancel, clearUploads, retry, type Upload, useUploads } from "./uploads.ts";

/** The uploads since the page was loaded, beside the navigation of every page. */
export function UploadTray() {
  const uploads = useUploads();
  if (uploads.length === 0) return null;
  const active = uploads.filter(({ state }) => state === "waiting" || state === "sending").length;
  const failed = uploads.filter(({ state }) => state === "failed").length;
  return (
    <section className="tray panel" aria-label="Uploads">
      <Group justify="space-between" px="sm" py={6} gap={4} className="tray-head">
        <Text size="sm" fw={600} aria-live="polite">
          {active > 0 ? `Uploading ${plural(active, "file")}` : "Uploads"}
          {failed > 0 && `, ${formatCount(failed)} failed`}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={clearUploads} disabled={active === uploads.length}>
          Clear
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
  const { id, file, state, progress, note } = upload;
  const isActive = state === "waiting" || state === "sending";
  return (
    <li className="tray-row">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate flex={1}>
          {file.name}
        </Text>
        <Text size="xs" c="dimmed">
          {formatBytes(file.size)}
        </Text>
        {isActive && (
          <ActionIcon size="sm" onClick={() => cancel(id)} aria-label={`Cancel ${file.name}`}>
            <X size={15} />
          </ActionIcon>
        )}
        {(state === "failed" || state === "cancelled") && (
          <ActionIcon size="sm" onClick={() => retry(id)} aria-label={`Retry ${file.name}`}>
            <RotateCw size={14} />
          </ActionIcon>
        )}
        {state === "done" && <Check size={16} className="tray-done" aria-label="Done" />}
      </Group>
      {isActive ? (
        <Progress
          value={progress * 100}
          size="sm"
          mt={5}
          aria-label={`Progress of ${file.name}`}
          animated={state === "sending"}
        />
      ) : (
        <Text size="xs" c={state === "failed" ? "red" : "dimmed"} lineClamp={3}>
          {note}
        </Text>
      )}
      {children}
    </li>
  );
}
