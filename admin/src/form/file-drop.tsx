import { Text } from "@mantine/core";
import { type ClipboardEvent, type DragEvent, type ReactNode, useContext, useEffect, useState } from "react";
import { upload, useUploads } from "../file/uploads.ts";
import { say, sayMany } from "../language/say.ts";
import { accepts, type Media, wordsOf } from "../model/media.ts";
import { Limits } from "../picker/limits.tsx";
import { useMay } from "../session-context.ts";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { FormContext } from "./context.ts";

type FileDropProps = { media: Media; onPath(path: string): void; children: ReactNode };

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");

/** A file field that takes a dropped file: it is uploaded to the folder with the entry's path, as one on its text is. */
export function FileDrop({ media, onPath, children }: FileDropProps) {
  const isReadOnly = useContext(ReadOnlyContext);
  const [isOver, setOver] = useState(false);
  const { said, take } = useUpload(media, onPath);
  const over = (event: DragEvent): void => {
    if (isReadOnly || !hasFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = (event: DragEvent): void => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent): void => {
    if (isReadOnly || !hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (isReadOnly || files.length === 0) return;
    event.preventDefault();
    take(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging has no role; the button beside it does the same.
    <div
      className="typed-drop"
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
      onPaste={paste}
    >
      {children}
      <Text size="xs" c="dimmed" mt={4} role="status">
        {said || <Limits media={media} />}
      </Text>
    </div>
  );
}

/** Uploads the first of the files that were dropped, and says what becomes of it; `onPath` gets its path once. */
function useUpload(media: Media, onPath: (path: string) => void) {
  const { slug } = useContext(FormContext);
  const mayUpload = useMay("files");
  const [note, setNote] = useState<string>();
  const [id, setId] = useState<number>();
  const sent = useUploads().find((each) => each.id === id);
  const path = sent?.path;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each upload.
  useEffect(() => {
    if (path === undefined) return;
    setId(undefined);
    onPath(path);
  }, [path]);
  const take = ([file, ...others]: globalThis.File[]): void => {
    if (!file) return;
    const refusal = mayUpload
      ? !accepts(media, file.type) && say("{name} was not taken. {words}.", { name: file.name, words: wordsOf(media) })
      : say("You may not upload files.");
    if (refusal) setNote(refusal);
    else {
      setNote(
        others.length > 0
          ? sayMany(
              others.length,
              "The field holds one file: {count} other not taken.",
              "The field holds one file: {count} others not taken.",
            )
          : undefined,
      );
      setId(upload(slug, [file])[0]);
    }
  };
  const state =
    sent?.state === "failed" || sent?.state === "cancelled"
      ? say("{name} was not uploaded: {note}", { name: sent.file.name, note: sent.note })
      : sent && say("Uploading {name}…", { name: sent.file.name });
  return { said: [state, note].filter(Boolean).join(" "), take };
}
