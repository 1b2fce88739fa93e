import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { nameOf } from "../api/path.ts";
import { UploadRow } from "../file/upload-tray.tsx";
import { type Upload, upload, useUploads } from "../file/uploads.ts";
import { say } from "../language/say.ts";
import { accepts, type Media } from "../model/media.ts";

/** The uploads that were begun in a picker. */
export function usePickerUploads() {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const shown = useUploads().filter(({ id }) => ids.has(id));
  const add = (folder: string, files: globalThis.File[]): void => {
    if (files.length > 0) setIds(new Set([...ids, ...upload(folder, files)]));
  };
  return { shown, add };
}

type PickerUploadsProps = { uploads: readonly Upload[]; media: Media; onPick(path: string): void };

/** Their progress and refusals; a finished one can be chosen. */
export function PickerUploads({ uploads, media, onPick }: PickerUploadsProps) {
  if (uploads.length === 0) return null;
  return (
    <ul className="picker-uploads" aria-label={say("Uploads of this dialog")}>
      {uploads.map((each) => (
        <UploadRow key={each.id} upload={each}>
          {each.path !== undefined && (
            <Finished path={each.path} isAccepted={accepts(media, each.file.type)} onPick={onPick} />
          )}
        </UploadRow>
      ))}
    </ul>
  );
}

function Finished({ path, isAccepted, onPick }: { path: string; isAccepted: boolean; onPick(path: string): void }) {
  if (!isAccepted)
    return (
      <Text size="xs" c="red">
        {say("It is stored, but is of another type than those accepted here.")}
      </Text>
    );
  return (
    <Button size="compact-sm" variant="light" mt={4} onClick={() => onPick(path)}>
      {say("Choose {name}", { name: nameOf(path) })}
    </Button>
  );
}
