import { Button, Drawer, FileButton, Group, Stack } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Brush, Download, History, Replace, Waypoints } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { etagOf } from "../../../client/src/client.ts";
import { bytesUrl, type File, isPicture, pathOf, readFile } from "../api/file.ts";
import { nameOf, parentOf } from "../api/path.ts";
import { FocalPoint } from "../image/focal-point.tsx";
import { say } from "../language/say.ts";
import { formatBytes, formatMoment } from "../model/format.ts";
import { UsedIn } from "../reference/used-in.tsx";
import { useMay, useSession, useWritesLive } from "../session-context.ts";
import { Above } from "../ui/above.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Fact } from "../ui/fact.tsx";
import { fileAddress } from "../ui/file-address.ts";
import { useFocusBack } from "../ui/focus.ts";
import { LocaleSelect, useLocale } from "../ui/locale-select.tsx";
import { addressOf, go, Link } from "../ui/location.tsx";
import { Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { useMayDescribe } from "./describing.ts";
import { FileFields } from "./file-fields.tsx";
import { FileTexts } from "./file-texts.tsx";
import { ThingMenu } from "./thing-menu.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import { upload } from "./uploads.ts";

const FileHistory = lazy(async () => ({ default: (await import("./file-history.tsx")).FileHistory }));

/** One file: preview, properties and actions. */
export function FileDrawer({ path, onClose }: { path: string; onClose(): void }) {
  useFocusBack();
  // Not Mantine's closeOnEscape: that would close the drawer together with a dialog above it.
  useHotkeys([["Escape", ({ target }) => isOwn(target as Element) && onClose(), { preventDefault: false }]], []);
  const { data: file, error, refetch } = useQuery({ queryKey: ["file", path], queryFn: () => readFile(path) });
  return (
    <Drawer
      opened
      onClose={onClose}
      closeOnEscape={false}
      position="right"
      size={460}
      title={nameOf(path)}
      classNames={{ title: "drawer-title", content: "file-drawer" }}
    >
      {error ? (
        <Failure
          error={error}
          title={say("The file cannot be read")}
          onRetry={() => void refetch()}
          remedy={<Above path={path} />}
        />
      ) : file ? (
        <Shown file={file} onClose={onClose} />
      ) : (
        <Loading />
      )}
    </Drawer>
  );
}

/** The address names no language of a file. */
const noSearch = new URLSearchParams();

const isOwn = (target: Element): boolean => !target.closest("[role=dialog]:not(.file-drawer), [role=menu]");

function Shown({ file, onClose }: { file: File; onClose(): void }) {
  const path = pathOf(file);
  const [isOpen, history] = useDisclosure(false);
  const [isSearching, searching] = useDisclosure(false);
  const mayEntries = useMay("entries");
  return (
    <Stack gap="md">
      <Preview file={file} path={path} />
      <Group gap="xs">
        {isPicture(file) && (
          <Button component={Link} href={addressOf("images", path)} leftSection={<Brush size={15} />} flex="1 0 auto">
            {say("Open in the workbench")}
          </Button>
        )}
        <Button
          component="a"
          href={bytesUrl(file)}
          target="_blank"
          rel="noopener"
          variant="default"
          leftSection={<Download size={15} />}
        >
          {say("Download")}
        </Button>
        <ReplaceButton file={file} path={path} />
        <Button variant="default" leftSection={<History size={15} />} onClick={history.open}>
          {say("History")}
        </Button>
        {mayEntries && (
          <Button variant="default" leftSection={<Waypoints size={15} />} onClick={searching.open}>
            {say("Used in")}
          </Button>
        )}
        <ThingMenu
          thing={{ noun: "file", path }}
          onMoved={(newPath) => go(fileAddress(newPath), "replace")}
          onDeleted={onClose}
        />
      </Group>
      <CopyLine value={file.full_url} label={say("Copy the address")} />
      <Texts file={file} path={path} />
      <dl className="panel facts">
        <Fact name={say("Type")} value={file.type} />
        <Fact name={say("Size")} value={formatBytes(file.filesize)} />
        {file.exif.Width !== undefined && (
          <Fact name={say("Pixels")} value={`${file.exif.Width} × ${file.exif.Height}`} />
        )}
        <Fact name={say("Uploaded")} value={formatMoment(file.uploaded_on)} />
        <Fact name={say("Version")} value={file.version} />
      </dl>
      {isSearching && <UsedIn thing={{ noun: "file", path }} name={nameOf(path)} onClose={searching.close} />}
      {isOpen && (
        <Suspense>
          <FileHistory path={path} onClose={history.close} />
        </Suspense>
      )}
    </Stack>
  );
}

/** Other bytes for the file, which keeps its path and all that it says; those before are in its history. */
function ReplaceButton({ file, path }: { file: File; path: string }) {
  const mayReplace = [useWritesLive(), useMay("files")].every(Boolean);
  if (!mayReplace) return null;
  const replace = async (chosen: globalThis.File | null): Promise<void> => {
    if (!chosen) return;
    const tag = etagOf(await readFile(path));
    upload(parentOf(path), [chosen], { replaced: file.filename, tag });
  };
  return (
    <FileButton
      accept={file.type}
      onChange={(chosen) => void replace(chosen).catch(notifyFailure)}
      inputProps={{ "aria-label": say("File in place of this one") }}
    >
      {(props) => (
        <Button {...props} variant="default" leftSection={<Replace size={15} />}>
          {say("Replace file")}
        </Button>
      )}
    </FileButton>
  );
}

/** What the file says, in the language that is chosen. */
function Texts({ file, path }: { file: File; path: string }) {
  const own = useLocale(noSearch);
  const [chosen, choose] = useState<string>();
  const locales = useSession().locales ?? [];
  const locale = chosen === undefined ? own : chosen === locales[0] ? undefined : chosen;
  const mayDescribe = useMayDescribe(locale);
  return (
    <>
      <LocaleSelect locale={locale} onChange={choose} />
      <fieldset className="bare" disabled={!mayDescribe} aria-label={say("Fields")}>
        {locale === undefined ? (
          <FileFields key={path} file={file} path={path} />
        ) : (
          <FileTexts key={`${path} ${locale}`} file={file} path={path} locale={locale} />
        )}
      </fieldset>
    </>
  );
}

function Preview({ file, path }: { file: File; path: string }) {
  const isReadOnly = !useMayDescribe();
  if (isPicture(file))
    return <FocalPoint {...{ file, path, isReadOnly }} width={430} height={320} instead={<Icon file={file} />} />;
  if (file.type.startsWith("video/"))
    return (
      <video className="preview" src={bytesUrl(file)} controls preload="metadata">
        <track kind="captions" />
      </video>
    );
  if (file.type.startsWith("audio/"))
    return (
      <audio className="preview-audio" src={bytesUrl(file)} controls preload="metadata">
        <track kind="captions" />
      </audio>
    );
  return <Icon file={file} />;
}

const Icon = ({ file }: { file: File }) => (
  <div className="preview">
    <Thumbnail file={file} width={200} height={160} />
  </div>
);
