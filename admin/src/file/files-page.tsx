import { Button, FileButton } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { FolderPlus, LayoutGrid, List, MessageSquareOff, Upload } from "lucide-react";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { reaches } from "../api/session.ts";
import { say } from "../language/say.ts";
import { PathDialog } from "../move/path-dialog.tsx";
import { useMay, useSession, useWrites, useWritesLive } from "../session-context.ts";
import { Crumbs } from "../ui/crumbs.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { refresh } from "../ui/query.ts";
import { SearchInput } from "../ui/search-input.tsx";
import { Segments } from "../ui/segments.tsx";
import { DescribeDialog } from "./describe-all.tsx";
import { Drop } from "./drop.tsx";
import { FolderContent } from "./folder-content.tsx";
import { usePaste } from "./paste.ts";
import { addressShown, type Shown, shownIn } from "./shown.ts";
import { useUploaded } from "./uploaded.ts";
import { upload } from "./uploads.ts";

type FilesPageProps = { folder: string; search: URLSearchParams };

type Layout = "grid" | "list";

const descriptions: Record<Exclude<Shown, "folder">, string> = {
  recent: say("What was uploaded in the last 30 days, in all folders"),
  all: say("The files of all folders, those uploaded last first"),
  "no-alt": say("Pictures of all folders without words for those who do not see them"),
};

const uploadLabel = (folder: string): string =>
  folder === "" ? say("Upload to the top folder") : say("Upload to {folder}", { folder });

/** The folders and files in one folder. */
export function FilesPage({ folder, search }: FilesPageProps) {
  const [text, setText] = useState("");
  const [layout, setLayout] = useLocalStorage<Layout>({
    key: "octavo-files",
    defaultValue: "grid",
    getInitialValueInEffect: false,
  });
  const show = shownIn(search);
  const isInside = reaches(useSession(), folder);
  const mayUpload = useWrites() && isInside;
  const uploads = useUploaded();
  const add = (files: globalThis.File[]): void => uploads.add(upload(folder, files, "ask"));
  // What is copied mostly has the same name: it gets a number.
  usePaste(mayUpload ? (files) => void upload(folder, files) : undefined);
  return (
    <Drop label={uploadLabel(folder)} onFiles={mayUpload ? add : undefined}>
      <Page
        isWide
        title={folder === "" || show !== "folder" ? say("Media") : nameOf(folder)}
        description={
          show !== "folder" ? (
            descriptions[show]
          ) : folder === "" ? (
            say("Images, documents and all other uploaded files")
          ) : (
            <Crumbs label={say("Folders")} root="media" path={folder} addressOf={(path) => addressOf("files", path)} />
          )
        }
        actions={
          <>
            <SearchInput
              label={say("Search in this folder")}
              placeholder={say("Search here")}
              value={text}
              onChange={setText}
              w={{ base: 150, sm: 200 }}
            />
            <ShownChoice folder={folder} value={show} />
            <LayoutChoice value={layout} onChange={setLayout} />
            {isInside && <NewFolderButton folder={folder} />}
            {mayUpload && <UploadButton onFiles={add} />}
          </>
        }
      >
        <FolderContent
          key={`${folder} ${show}`}
          folder={folder}
          text={text}
          layout={layout}
          show={show}
          mayUpload={mayUpload}
          chosen={search.get("file") ?? undefined}
        />
        {uploads.pictures.length > 0 && <DescribeDialog files={uploads.pictures} onClose={uploads.clear} />}
      </Page>
    </Drop>
  );
}

const LayoutChoice = ({ value, onChange }: { value: Layout; onChange(layout: Layout): void }) => (
  <Segments
    label={say("Layout")}
    options={{
      grid: <LayoutGrid size={15} aria-label={say("Grid")} />,
      list: <List size={15} aria-label={say("List")} />,
    }}
    value={value}
    onChange={onChange}
    size="sm"
  />
);

const UploadButton = ({ onFiles }: { onFiles(files: globalThis.File[]): void }) => (
  <FileButton multiple onChange={onFiles} inputProps={{ "aria-label": say("Files to upload") }}>
    {(props) => (
      <Button {...props} leftSection={<Upload size={15} />}>
        {say("Upload")}
      </Button>
    )}
  </FileButton>
);

function NewFolderButton({ folder }: { folder: string }) {
  const [isMaking, making] = useDisclosure(false);
  const mayMake = [useWritesLive(), useMay("folders")].every(Boolean);
  if (!mayMake) return null;
  return (
    <>
      <Button variant="default" leftSection={<FolderPlus size={15} />} onClick={making.open}>
        {say("New folder")}
      </Button>
      {isMaking && <NewFolder folder={folder} onClose={making.close} />}
    </>
  );
}

/** Which files are shown: of one folder, or of all. */
function ShownChoice({ folder, value }: { folder: string; value: Shown }) {
  const show = (chosen: Shown): void => go(addressShown(chosen, folder));
  return (
    <>
      <Segments
        label={say("Which files")}
        options={{ folder: say("Folders"), recent: say("Recent"), all: say("All files") }}
        value={value === "no-alt" ? "all" : value}
        onChange={show}
        size="sm"
      />
      <AltToggle isOn={value === "no-alt"} onChange={(isOn) => show(isOn ? "no-alt" : "folder")} />
    </>
  );
}

/** Shows only the pictures that lack words for those who do not see them. */
const AltToggle = ({ isOn, onChange }: { isOn: boolean; onChange(isOn: boolean): void }) => (
  <Button
    variant={isOn ? "light" : "default"}
    leftSection={<MessageSquareOff size={15} />}
    aria-pressed={isOn}
    onClick={() => onChange(!isOn)}
    title={say("Pictures of all folders without words for those who do not see them")}
  >
    {say("No alt text")}
  </Button>
);

function NewFolder({ folder, onClose }: { folder: string; onClose(): void }) {
  const create = async (path: string): Promise<void> => {
    await octavo.folders.create(path);
    await refresh("folders");
  };
  const initial = joinPath(folder, "new-folder");
  return (
    <PathDialog
      title={say("New folder")}
      submit={say("Create")}
      label={say("Path")}
      initial={initial}
      onSubmit={create}
      onClose={onClose}
    />
  );
}
