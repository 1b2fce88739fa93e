import { Box, Table } from "@mantine/core";
import { Folder as FolderIcon } from "lucide-react";
import { pathOf } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { formatSize } from "../ui/format.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import { Ago } from "../ui/time.tsx";
import { fileAddress } from "./address.ts";
import { type FilesProps, FolderOf } from "./file-grid.tsx";
import { ThingMenu } from "./thing-menu.tsx";
import { Thumbnail } from "./thumbnail.tsx";

/** A table: folders first, then files. */
export function FileTable({ folders, files, selection, isPathShown }: FilesProps) {
  return (
    <div className="panel table-panel">
      <Table verticalSpacing={6} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            <Table.Th>Name</Table.Th>
            <Table.Th visibleFrom="sm">Title</Table.Th>
            <Table.Th visibleFrom="xs">Size</Table.Th>
            <Table.Th visibleFrom="sm">Uploaded</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {folders.map(({ path }) => (
            <Table.Tr key={path} className="row-link">
              <Table.Td>
                <SelectBox thing={{ noun: "folder", path }} name={nameOf(path)} selection={selection} />
              </Table.Td>
              <Table.Td data-fill>
                <div className="file-line">
                  <span className="file-mini">
                    <FolderIcon size={18} strokeWidth={1.6} aria-hidden />
                  </span>
                  <Link href={addressOf("files", path)} className="row-name">
                    {nameOf(path)}
                  </Link>
                </div>
              </Table.Td>
              <Table.Td visibleFrom="sm" />
              <Table.Td visibleFrom="xs" />
              <Table.Td visibleFrom="sm" />
              <Table.Td>
                <ThingMenu thing={{ noun: "folder", path }} />
              </Table.Td>
            </Table.Tr>
          ))}
          {files.map((file) => (
            <Table.Tr key={pathOf(file)} className="row-link">
              <Table.Td>
                <SelectBox thing={{ noun: "file", path: pathOf(file) }} name={file.filename} selection={selection} />
              </Table.Td>
              <Table.Td data-fill>
                <div className="file-line">
                  <span className="file-mini">
                    <Thumbnail file={file} width={48} height={36} />
                  </span>
                  <Box flex={1} miw={0}>
                    <Link href={fileAddress(pathOf(file))} className="row-name">
                      {file.filename}
                    </Link>
                    {isPathShown && <FolderOf file={file} />}
                  </Box>
                </div>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet file-title" title={file.title}>
                {file.title}
              </Table.Td>
              <Table.Td visibleFrom="xs" className="quiet">
                {formatSize(file)}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={file.uploaded_on} />
              </Table.Td>
              <Table.Td>
                <ThingMenu thing={{ noun: "file", path: pathOf(file) }} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
