import { Text } from "@mantine/core";
import { Folder as FolderIcon } from "lucide-react";
import type { FolderObject } from "../../../client/src/api.ts";
import { type File, pathOf, type Thing } from "../api/file.ts";
import { nameOf, parentOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { formatSize } from "../model/format.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import type { Selection } from "../ui/selection.ts";
import { ThingMenu } from "./thing-menu.tsx";
import { Thumbnail } from "./thumbnail.tsx";

export type FilesProps = {
  folders: FolderObject[];
  files: File[];
  selection: Selection<Thing>;
  isPathShown: boolean;
  /** The address where a file is open. */
  hrefOf(path: string): string;
};

/** Folders first, then files as cards with thumbnails. */
export function FileGrid({ folders, files, selection, isPathShown, hrefOf }: FilesProps) {
  return (
    <>
      {folders.length > 0 && (
        <ul className="folder-grid" aria-label={say("Folders")}>
          {folders.map(({ path }) => (
            <li key={path} className="panel folder-card row-link">
              <SelectBox thing={{ noun: "folder", path }} name={nameOf(path)} selection={selection} />
              <FolderIcon size={19} strokeWidth={1.6} aria-hidden />
              <Link href={addressOf("files", path)} className="row-name">
                {nameOf(path)}
              </Link>
              <ThingMenu thing={{ noun: "folder", path }} />
            </li>
          ))}
        </ul>
      )}
      <ul className="file-grid" aria-label={say("Files")}>
        {files.map((file) => (
          <li key={pathOf(file)} className="panel file-card">
            <SelectBox thing={{ noun: "file", path: pathOf(file) }} name={file.filename} selection={selection} />
            <Link href={hrefOf(pathOf(file))} className="file-open">
              <span className="file-picture">
                <Thumbnail file={file} width={320} height={210} />
              </span>
              <span className="file-name">{file.filename}</span>
              {isPathShown && <FolderOf file={file} />}
              <Text component="span" size="xs" c="dimmed">
                {formatSize(file)}
              </Text>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The folder of a file, below its name. */
export const FolderOf = ({ file }: { file: File }) => (
  <Text component="span" size="xs" c="dimmed" className="mono" truncate>
    {parentOf(pathOf(file)) || "media"}
  </Text>
);
