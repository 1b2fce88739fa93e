import { Box } from "@mantine/core";
import { Folder as FolderIcon } from "lucide-react";
import { type File, pathOf, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { formatSize } from "../model/format.ts";
import { type Column, from, ListTable } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import { Ago } from "../ui/time.tsx";
import { type FilesProps, FolderOf } from "./file-grid.tsx";
import { keyOf } from "./thing.ts";
import { ThingMenu } from "./thing-menu.tsx";
import { Thumbnail } from "./thumbnail.tsx";

type Row = { thing: Thing; name: string; href: string; file?: File };

/** A table: folders first, then files. */
export function FileTable({ folders, files, selection, isPathShown, hrefOf }: FilesProps) {
  const rows: Row[] = [
    ...folders.map(({ path }) => rowOf({ noun: "folder", path }, addressOf("files", path))),
    ...files.map((file) => ({ ...rowOf({ noun: "file", path: pathOf(file) }, hrefOf(pathOf(file))), file })),
  ];
  const columns: Column<Row>[] = [
    { show: ({ thing, name }) => <SelectBox thing={thing} name={name} selection={selection} /> },
    { label: say("Name"), cell: { "data-fill": true }, show: (row) => <Name {...row} isPathShown={isPathShown} /> },
    {
      label: say("Title"),
      both: { visibleFrom: "sm" },
      cell: { className: "quiet file-title" },
      titleOf: ({ file }) => file?.title,
      show: ({ file }) => file?.title,
    },
    {
      label: say("Size"),
      ...from("xs"),
      show: ({ file }) => file && formatSize(file),
    },
    { label: say("Uploaded"), ...from("sm"), show: ({ file }) => file && <Ago seconds={file.uploaded_on} /> },
    { show: ({ thing }) => <ThingMenu thing={thing} /> },
  ];
  return <ListTable rows={rows} columns={columns} keyOf={({ thing }) => keyOf(thing)} spacing={6} isLinked />;
}

const rowOf = (thing: Thing, href: string): Row => ({ thing, name: nameOf(thing.path), href });

function Name({ name, href, file, isPathShown }: Row & { isPathShown: boolean }) {
  return (
    <div className="file-line">
      <span className="file-mini">
        {file ? (
          <Thumbnail file={file} width={48} height={36} />
        ) : (
          <FolderIcon size={18} strokeWidth={1.6} aria-hidden />
        )}
      </span>
      <Box flex={1} miw={0}>
        <Link href={href} className="row-name">
          {name}
        </Link>
        {file && isPathShown && <FolderOf file={file} />}
      </Box>
    </div>
  );
}
