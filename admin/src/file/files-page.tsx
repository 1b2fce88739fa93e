import { Button, FileButton, SegmentedControl } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useLocalStorage } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { FolderPlus, ImageUp, LayoutGrid, List, Search, Upload } from "lucide-react";
import { useEffect, useState } from "react";
import type { FolderObject } from "../../../client/src/api.ts";
import { createFolder, listFiles, listFolders, pathOf } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { escapePattern, type Query } from "../api/request.ts";
import { useMay } from "../session-context.ts";
import { Crumbs } from "../ui/crumbs.tsx";
import { plural } from "../ui/format.ts";
import { addressOf, go } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { PathDialog } from "../ui/path-dialog.tsx";
import { refresh } from "../ui/query.ts";
import { SearchInput } from "../ui/search-input.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { Above } from "./above.tsx";
import { Drop } from "./drop.tsx";
import { FileDrawer } from "./file-drawer.tsx";
import { FileGrid } from "./file-grid.tsx";
import { FileTable } from "./file-table.tsx";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { rereadFiles } from "./thing.ts";
import { upload } from "./uploads.ts";

type FilesPageProps = { folder: string; search: URLSearchParams };

/** The folders and files in one folder. */
export function FilesPage({ folder, search }: FilesPageProps) {
  const [text, setText] = useState("");
  const [layout, setLayout] = useLocalStorage<"grid" | "list">({
    key: "octavo-files",
    defaultValue: "grid",
    getInitialValueInEffect: false,
  });
  const [isMaking, making] = useDisclosure(false);
  const add = (files: globalThis.File[]): void => upload(folder, files);
  return (
    <Drop label={`Upload to ${folder || "the top folder"}`} onFiles={add}>
      <Page
        isWide
        title={folder === "" ? "Media" : nameOf(folder)}
        description={
          folder === "" ? (
            "Pictures, documents and everything else that is served as a file"
          ) : (
            <Crumbs label="Folders" root="media" path={folder} addressOf={(path) => addressOf("files", path)} />
          )
        }
        actions={
          <>
            <SearchInput
              label="Search in this folder"
              placeholder="Search here"
              value={text}
              onChange={setText}
              w={{ base: 150, sm: 200 }}
            />
            <SegmentedControl
              aria-label="Layout"
              data={[
                { value: "grid", label: <LayoutGrid size={15} aria-label="Grid" /> },
                { value: "list", label: <List size={15} aria-label="List" /> },
              ]}
              value={layout}
              onChange={(chosen) => setLayout(chosen as "grid" | "list")}
            />
            <Button variant="default" leftSection={<FolderPlus size={15} />} onClick={making.open}>
              New folder
            </Button>
            <FileButton multiple onChange={add} inputProps={{ "aria-label": "Files to upload" }}>
              {(props) => (
                <Button {...props} leftSection={<Upload size={15} />}>
                  Upload
                </Button>
              )}
            </FileButton>
          </>
        }
      >
        <Content key={folder} folder={folder} text={text} layout={layout} chosen={search.get("file") ?? undefined} />
      </Page>
      {isMaking && <NewFolder folder={folder} onClose={making.close} />}
    </Drop>
  );
}

function NewFolder({ folder, onClose }: { folder: string; onClose(): void }) {
  const create = async (path: string): Promise<void> => {
    await createFolder(path);
    await refresh("folders");
  };
  const initial = joinPath(folder, "new-folder");
  return (
    <PathDialog title="New folder" submit="Create" label="Path" initial={initial} onSubmit={create} onClose={onClose} />
  );
}

type ContentProps = { folder: string; text: string; layout: "grid" | "list"; chosen: string | undefined };

function Content({ folder, text, layout, chosen }: ContentProps) {
  const { folders, files, total, error, isPending, list } = useContent(folder, text);
  const selection = useSelection([
    ...folders.map(({ path }) => ({ noun: "folder", path }) as const),
    ...files.map((file) => ({ noun: "file", path: pathOf(file) }) as const),
  ]);
  const close = (): void => go(addressOf("files", folder));
  // What is shown may all be on its way out, while there is more.
  const isBare = folders.length + files.length === 0;
  const { hasNextPage, isFetching, fetchNextPage } = list;
  useEffect(() => {
    if (isBare && hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [isBare, hasNextPage, isFetching, error, fetchNextPage]);
  const Shown = layout === "grid" ? FileGrid : FileTable;
  return (
    <>
      {error ? (
        <Failure
          error={error}
          title="The folder cannot be read"
          onRetry={() => void rereadFiles()}
          remedy={folder !== "" && <Above path={folder} />}
        />
      ) : isPending || (isBare && hasNextPage) ? (
        <Loading rows={4} height={120} />
      ) : isBare ? (
        <Empty icon={text === "" ? ImageUp : Search} title={text === "" ? "Nothing here yet" : "Nothing found"}>
          {text === "" && "Drop files anywhere on this page, or choose them with Upload."}
        </Empty>
      ) : (
        <>
          <SelectionBar
            folder={folder}
            selection={selection}
            total={folders.length + total}
            count={(folders.length > 0 ? `${plural(folders.length, "folder")}, ` : "") + plural(total, "file")}
          />
          <Shown folders={folders} files={files} selection={selection} />
          <ShowMore list={list} />
        </>
      )}
      {chosen !== undefined && <FileDrawer key={chosen} path={joinPath(folder, chosen)} onClose={close} />}
    </>
  );
}

/** Arguments that find files by part of their name, title or description; the service's own search does not read names. */
function namedLike(text: string): Query {
  if (text === "") return {};
  const value = `(?i)${escapePattern(text)}`;
  const conditions = ["filename", "title", "description"].map((key, i) => {
    const group = `filter[or_where][${i}]`;
    return { [`${group}[key]`]: key, [`${group}[expr]`]: "regexp", [`${group}[value]`]: value };
  });
  return Object.assign({}, ...conditions);
}

/** What is in a folder, without what is being deleted. */
function useContent(folder: string, text: string) {
  const hidden = useHidden();
  const mayFolders = useMay("folders");
  const [settled] = useDebouncedValue(text.trim(), 200);
  const files = useInfiniteQuery({
    queryKey: ["files", folder, settled],
    queryFn: ({ pageParam }) => listFiles(folder, namedLike(settled), pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const folders = useQuery({ queryKey: ["folders", folder], queryFn: () => listFolders(folder), enabled: mayFolders });
  const isShown = ({ path }: FolderObject): boolean =>
    !hidden.has(`folder:${path}`) && nameOf(path).toLowerCase().includes(settled.toLowerCase());
  const read = (files.data?.pages ?? []).flatMap((page) => page.files);
  const shown = read.filter((file) => !hidden.has(`file:${pathOf(file)}`));
  return {
    folders: (folders.data ?? []).filter(isShown),
    files: shown,
    total: (files.data?.pages[0]?.total ?? 0) - (read.length - shown.length),
    error: files.error ?? folders.error,
    isPending: files.isPending || (mayFolders && folders.isPending),
    list: files,
  };
}
