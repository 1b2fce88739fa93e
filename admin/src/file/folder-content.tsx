import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Check, Clock, ImageUp, Search } from "lucide-react";
import { useEffect, useState } from "react";
import type { FolderObject } from "../../../client/src/api.ts";
import { OctavoProblem } from "../../../client/src/client.ts";
import { atAnyDepth, FileInstead, listFiles, listFolders, pathOf, readFile } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { pathsBelow } from "../api/session.ts";
import { say, sayMany } from "../language/say.ts";
import { useMay, useSession } from "../session-context.ts";
import { Above } from "../ui/above.tsx";
import { fileAddress } from "../ui/file-address.ts";
import { usePages } from "../ui/list.tsx";
import { go } from "../ui/location.tsx";
import { PathLinks } from "../ui/path-links.tsx";
import { Segments } from "../ui/segments.tsx";
import { useSelection } from "../ui/selection.ts";
import { SelectionBar } from "../ui/selection-bar.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { DescribeAll } from "./describe-all.tsx";
import { FileActions } from "./file-actions.tsx";
import { FileDrawer } from "./file-drawer.tsx";
import { FileGrid } from "./file-grid.tsx";
import { FileTable } from "./file-table.tsx";
import { addressShown, queryOf, type Shown } from "./shown.ts";
import { keyOf, rereadFiles } from "./thing.ts";

type FolderContentProps = {
  folder: string;
  text: string;
  layout: "grid" | "list";
  show: Shown;
  mayUpload: boolean;
  chosen: string | undefined;
};
type FinderScope = "here" | "everywhere";

/**
 * The folders and files in a folder, or search results from this folder or all folders. Whoever sees no folders has the files
 * below them in one list.
 */
export function FolderContent(props: FolderContentProps) {
  const { folder, text, show, chosen } = props;
  const [place, setPlace] = useState<FinderScope>(folder === "" ? "everywhere" : "here");
  const isEverywhere = text !== "" && place === "everywhere";
  const content = useContent(folder, text, isEverywhere, show);
  const { folders, files, error, isPending, list } = content;
  const inside = pathsBelow(useSession(), folder);
  const { isFile, isAsking } = useAsFile(folder, error);
  const isBare = folders.length + files.length === 0;
  useMoreWhile(isBare && !error, list);
  return (
    <>
      {text !== "" && show === "folder" && (
        <Segments
          label={say("Where to search")}
          options={{ here: say("This folder"), everywhere: say("All folders") }}
          value={place}
          onChange={setPlace}
          mb="md"
        />
      )}
      {inside.length > 0 && text === "" && show === "folder" ? (
        <PathLinks page="files" paths={inside} />
      ) : isFile || isAsking ? (
        <Loading rows={4} height={120} />
      ) : error ? (
        <Failure
          error={error}
          title={say("The folder cannot be read")}
          onRetry={() => void rereadFiles()}
          remedy={folder !== "" && <Above path={folder} />}
        />
      ) : isPending || (isBare && list.hasNextPage) ? (
        <Loading rows={4} height={120} />
      ) : isBare ? (
        <NoFiles {...props} />
      ) : (
        <Things {...props} content={content} />
      )}
      {chosen !== undefined && (
        <FileDrawer
          key={chosen}
          path={show === "folder" ? joinPath(folder, chosen) : chosen}
          onClose={() => go(addressShown(show, folder))}
        />
      )}
    </>
  );
}

type Content = ReturnType<typeof useContent>;

function Things({ folder, layout, show, content }: FolderContentProps & { content: Content }) {
  const { folders, files, total, isDeep, list, selection } = content;
  const Layout = layout === "grid" ? FileGrid : FileTable;
  return (
    <>
      <SelectionBar
        selection={selection}
        more={() => show === "no-alt" && <DescribeAll files={files} />}
        actions={(rest) => <FileActions folder={folder} files={files} selection={selection} rest={rest} />}
        total={folders.length + total}
        count={
          (folders.length > 0 ? `${sayMany(folders.length, "{count} folder", "{count} folders")}, ` : "") +
          sayMany(total, "{count} file", "{count} files")
        }
      />
      <Layout
        folders={folders}
        files={files}
        selection={selection}
        isPathShown={isDeep}
        hrefOf={(path) => addressShown(show, folder, path)}
      />
      <ShowMore list={list} />
    </>
  );
}

/** The address of a file, as people write it: leads to its folder, with the file open. */
function useAsFile(folder: string, error: unknown): { isFile: boolean; isAsking: boolean } {
  const isMissing = error instanceof FileInstead || (error instanceof OctavoProblem && error.status === 404);
  const { data, isFetching } = useQuery({
    queryKey: ["file", folder],
    queryFn: () => readFile(folder),
    enabled: isMissing && folder !== "",
    retry: false,
  });
  const isFile = isMissing && data !== undefined;
  useEffect(() => {
    if (isFile) go(fileAddress(folder), "replace");
  }, [isFile, folder]);
  return { isFile, isAsking: isMissing && isFetching };
}

/** Reads on while nothing is shown: all shown items may be about to be deleted while there are more. */
function useMoreWhile(isBare: boolean, { hasNextPage, isFetching, fetchNextPage }: Content["list"]): void {
  useEffect(() => {
    if (isBare && hasNextPage && !isFetching) void fetchNextPage();
  }, [isBare, hasNextPage, isFetching, fetchNextPage]);
}

function NoFiles({ text, show, mayUpload }: Pick<FolderContentProps, "text" | "show" | "mayUpload">) {
  if (text !== "") return <Empty icon={Search} title={say("Nothing found")} />;
  if (show === "recent") return <Empty icon={Clock} title={say("Nothing was uploaded in the last 30 days")} />;
  if (show === "no-alt") return <Empty icon={Check} title={say("Every picture has its words")} />;
  return (
    <Empty icon={ImageUp} title={say("Nothing here yet")}>
      {mayUpload && say("Drop files anywhere on this page, paste a picture, or choose files with Upload.")}
    </Empty>
  );
}

/** The contents of a folder or the files found in all folders, without those being deleted, and which are selected. */
function useContent(folder: string, text: string, searchesAll: boolean, show: Shown) {
  const isEverywhere = searchesAll || show !== "folder";
  const hidden = useHidden();
  const mayFolders = useMay("folders");
  const isDeep = isEverywhere || !mayFolders;
  const [settled] = useDebouncedValue(text.trim(), 200);
  const { list, items, total } = usePages({
    queryKey: ["files", isEverywhere ? atAnyDepth : folder, settled, isDeep, show],
    queryFn: ({ pageParam }) =>
      listFiles(isEverywhere ? "" : folder, { ...queryOf(show, settled, isDeep), cursor: pageParam }),
    isKept: true,
  });
  const folders = useQuery({ queryKey: ["folders", folder], queryFn: () => listFolders(folder), enabled: mayFolders });
  const isShown = ({ path }: FolderObject): boolean =>
    !isEverywhere && !hidden.has(`folder:${path}`) && nameOf(path).toLowerCase().includes(settled.toLowerCase());
  const read = items ?? [];
  const shown = read.filter((file) => !hidden.has(`file:${pathOf(file)}`));
  const shownFolders = (folders.data ?? []).filter(isShown);
  const selection = useSelection(
    [
      ...shownFolders.map(({ path }) => ({ noun: "folder", path }) as const),
      ...shown.map((file) => ({ noun: "file", path: pathOf(file) }) as const),
    ],
    keyOf,
  );
  return {
    folders: shownFolders,
    files: shown,
    selection,
    total: (total ?? 0) - (read.length - shown.length),
    error: list.error ?? folders.error,
    isPending: list.isPending || (mayFolders && folders.isPending),
    isDeep,
    list,
  };
}
