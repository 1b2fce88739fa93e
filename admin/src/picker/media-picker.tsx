import { Button, FileButton, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Upload as UploadIcon } from "lucide-react";
import { useState } from "react";
import { reaches } from "../api/session.ts";
import { Drop } from "../file/drop.tsx";
import { say } from "../language/say.ts";
import { acceptOf, isForPictures, type Media } from "../model/media.ts";
import { useMay, useSession } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { Segments } from "../ui/segments.tsx";
import { Limits } from "./limits.tsx";
import { MediaContent } from "./media-content.tsx";
import { PickerCrumbs } from "./picker-crumbs.tsx";
import { PickerUploads, usePickerUploads } from "./picker-uploads.tsx";
import { moveInRows } from "./rows.ts";

type MediaPickerProps = {
  /** Media types as `image/*`, `image` or `application/pdf`: only such files are offered. All files by default. */
  media?: Media | undefined;
  /** The folder of what it is chosen for: what is uploaded in no other folder goes there, and not to the top. */
  home?: string;
  onPick(path: string): void;
  /** Also called after a choice. */
  onClose(): void;
};

/** Where the next picker begins: pictures of one text are often in one folder. */
let lastFolder = "";

/** A dialog to choose a file: by a search, in its folder, or as a new upload. */
export function MediaPicker({ media = [], home = "", onPick, onClose }: MediaPickerProps) {
  const [folder, setFolder] = useState(lastFolder);
  const [text, setText] = useState("");
  const [isEverywhere, setEverywhere] = useState(false);
  const [settled] = useDebouncedValue(text.trim(), 200);
  const uploads = usePickerUploads();
  const pick = (path: string): void => {
    onPick(path);
    onClose();
  };
  const open = (path: string): void => {
    lastFolder = path;
    setFolder(path);
  };
  const goal = folder || home;
  const isInside = reaches(useSession(), goal);
  const mayUpload = useMay("files") && isInside;
  const add = (files: globalThis.File[]): void => uploads.add(goal, files);
  const content = (
    <>
      {settled === "" && <PlaceChoice isEverywhere={isEverywhere} onChange={setEverywhere} />}
      {settled === "" && !isEverywhere && (
        <PickerCrumbs label={say("Folder")} root={say("Media")} path={folder} onOpen={open} />
      )}
      <PickerUploads uploads={uploads.shown} media={media} onPick={pick} />
      <MediaContent {...{ folder, isEverywhere, media }} text={settled} onPick={pick} onOpen={open} />
    </>
  );
  return (
    <Dialog title={isForPictures(media) ? say("Choose a picture") : say("Choose a file")} size="xl" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows move the focus between controls. */}
      <div onKeyDown={moveInRows}>
        <Group gap="xs" mb="xs" wrap="nowrap">
          <SearchInput
            label={say("Search names and titles")}
            placeholder={say("A part of the name or title")}
            value={text}
            onChange={setText}
            data-autofocus
            flex={1}
          />
          {mayUpload && <UploadButton media={media} onFiles={add} />}
        </Group>
        <Text size="xs" c="dimmed" mb="xs">
          <Limits media={media} />
        </Text>
        {mayUpload ? (
          <Drop
            label={goal === "" ? say("Upload to the top folder") : say("Upload to {folder}", { folder: goal })}
            onFiles={add}
          >
            {content}
          </Drop>
        ) : (
          content
        )}
      </div>
    </Dialog>
  );
}

type PlaceChoiceProps = { isEverywhere: boolean; onChange(isEverywhere: boolean): void };

const PlaceChoice = ({ isEverywhere, onChange }: PlaceChoiceProps) => (
  <Segments
    label={say("Which files")}
    options={{ folder: say("Folders"), all: say("All files, newest first") }}
    value={isEverywhere ? "all" : "folder"}
    onChange={(value) => onChange(value === "all")}
    mb="xs"
  />
);

const UploadButton = ({ media, onFiles }: { media: Media; onFiles(files: globalThis.File[]): void }) => (
  <FileButton
    multiple
    onChange={onFiles}
    accept={acceptOf(media)}
    inputProps={{ "aria-label": say("Files to upload") }}
  >
    {(props) => (
      <Button {...props} variant="default" leftSection={<UploadIcon size={15} />}>
        {say("Upload")}
      </Button>
    )}
  </FileButton>
);
