import { Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Folder as FolderIcon, ImageUp, Search } from "lucide-react";
import { useEffect } from "react";
import { condition } from "../../../client/src/client.ts";
import {
  atAnyDepth,
  eachOnce,
  type File,
  listFiles,
  listFolders,
  newestFirst,
  pathOf,
  searchFiles,
} from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { pathsBelow } from "../api/session.ts";
import { FolderOf } from "../file/file-grid.tsx";
import { Thumbnail } from "../file/thumbnail.tsx";
import { say } from "../language/say.ts";
import { formatSize } from "../model/format.ts";
import { accepts, type Media, patternOf } from "../model/media.ts";
import { useMay, useSession } from "../session-context.ts";
import { usePages } from "../ui/list.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { useFirstFocused } from "./rows.ts";

type MediaContentProps = {
  folder: string;
  /** Searches all folders; empty for the contents of this folder. */
  text: string;
  /** The files of all folders, those uploaded last first. */
  isEverywhere: boolean;
  media: Media;
  onPick(path: string): void;
  onOpen(folder: string): void;
};

/** The folders and files in a folder, or the files found in all folders. */
export function MediaContent(props: MediaContentProps) {
  const media = useMedia(props);
  const host = useFirstFocused(props.folder, !media.isPending);
  return (
    <div ref={host}>
      <Shown {...props} {...media} />
    </div>
  );
}

type ShownProps = Omit<MediaContentProps, "media" | "folder" | "isEverywhere"> & ReturnType<typeof useMedia>;

function Shown({ text, onPick, onOpen, folders, files, error, isPending, isBare, isDeep, list }: ShownProps) {
  if (error)
    return <Failure error={error} title={say("The files cannot be listed")} onRetry={() => void list.refetch()} />;
  if (isPending) return <Loading rows={3} height={110} />;
  if (isBare)
    return (
      <Empty icon={text === "" ? ImageUp : Search} title={text === "" ? say("Nothing here yet") : say("Nothing found")}>
        {text === "" && say("Drop files here, or choose them with Upload.")}
      </Empty>
    );
  return (
    <div className="picker-scroll">
      {folders.length > 0 && (
        <ul className="folder-grid" aria-label={say("Folders")}>
          {folders.map((path) => (
            <li key={path}>
              <UnstyledButton data-row className="panel folder-card picker-folder" onClick={() => onOpen(path)}>
                <FolderIcon size={19} strokeWidth={1.6} aria-hidden />
                <span className="row-name">{nameOf(path)}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      <ul className="file-grid" aria-label={say("Files")}>
        {files.map((file) => (
          <li key={pathOf(file)} className="panel file-card">
            <FileButton file={file} isPathShown={isDeep} onClick={() => onPick(pathOf(file))} />
          </li>
        ))}
      </ul>
      <ShowMore list={list} />
    </div>
  );
}

function FileButton({ file, isPathShown, onClick }: { file: File; isPathShown: boolean; onClick(): void }) {
  return (
    <UnstyledButton data-row className="file-open" w="100%" onClick={onClick}>
      <span className="file-picture">
        <Thumbnail file={file} width={320} height={210} />
      </span>
      <span className="file-name">{file.filename}</span>
      {file.title !== "" && file.title !== file.filename && (
        <Text component="span" size="xs" truncate>
          {file.title}
        </Text>
      )}
      {isPathShown && <FolderOf file={file} />}
      <Text component="span" size="xs" c="dimmed">
        {formatSize(file)}
      </Text>
    </UnstyledButton>
  );
}

function useMedia({ folder, text, media, isEverywhere }: MediaContentProps) {
  const inside = pathsBelow(useSession(), folder);
  const mayFolders = useMay("folders");
  const isSearch = text !== "";
  // Whoever sees no folders has all files in one list.
  const isAll = isSearch || isEverywhere;
  const isDeep = isAll || !mayFolders;
  const pattern = patternOf(media);
  const filter = pattern ? condition("type", "regexp", pattern) : undefined;
  const { list, items } = usePages({
    queryKey: ["files", isAll ? atAnyDepth : folder, "picker", text, pattern, isDeep, isEverywhere],
    queryFn: ({ pageParam, signal }) =>
      isSearch
        ? searchFiles(text, { cursor: pageParam }, { signal })
        : listFiles(
            isAll ? "" : folder,
            { filter, cursor: pageParam, ...(isDeep && atAnyDepth), ...(isEverywhere && newestFirst) },
            { signal },
          ),
    enabled: isAll || inside.length === 0,
  });
  const folders = useQuery({
    queryKey: ["folders", folder],
    queryFn: () => listFolders(folder),
    enabled: mayFolders && inside.length === 0,
  });
  const files = eachOnce(items ?? []).filter(({ type }) => accepts(media, type));
  const below = inside.length > 0 ? inside : (folders.data ?? []).map(({ path }) => path);
  const shownFolders = isAll ? [] : below;
  // All that was read may be of other media.
  const isBare = shownFolders.length + files.length === 0;
  const { hasNextPage, isFetching, fetchNextPage, error } = list;
  useEffect(() => {
    if (isBare && hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [isBare, hasNextPage, isFetching, error, fetchNextPage]);
  return {
    files,
    folders: shownFolders,
    error: error ?? folders.error,
    isPending: list.isLoading || folders.isLoading || (isBare && hasNextPage),
    isBare,
    isDeep,
    list,
  };
}
