import { Anchor, Text } from "@mantine/core";
import { useState } from "react";
import { etagOf } from "../../../client/src/client.ts";
import { bytesUrl, type File, isPicture, metaOf, readFile } from "../api/file.ts";
import { fileAt, fileHistory, restoreFile } from "../api/history.ts";
import type { JsonObject } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { HistoryDialog, type Side } from "../history/history-dialog.tsx";
import type { HistorySource, Present } from "../history/timeline.ts";
import { say } from "../language/say.ts";
import type { FieldWords } from "../model/difference.ts";
import { compareFields } from "../model/difference.ts";
import { formatSize } from "../model/format.ts";
import { queries, refresh } from "../ui/query.ts";
import { Thumbnail } from "./thumbnail.tsx";

const words: FieldWords = {
  title: { label: say("Title") },
  description: { label: say("Description") },
  alt: { label: say("What the picture shows") },
  credit: { label: say("Credit") },
};

/** The fields that users set. */
const fieldsOf = (file: File): JsonObject => ({
  title: file.title,
  description: file.description,
  ...Object.fromEntries(metaOf(file)),
});

const presentOf = (file: File, tag = etagOf(file) ?? ""): Present<File> => ({
  content: file,
  tag,
  at: file.uploaded_on,
});

/** The history of a file: its bytes and its fields. */
export function FileHistory({ path, onClose }: { path: string; onClose(): void }) {
  const source: HistorySource<File> = {
    key: ["file", path],
    list: (cursor) => fileHistory(path, cursor),
    present: async () => presentOf(await readFile(path)),
    at: (revision) => fileAt(path, revision),
    restore: async (revision, tag) => {
      const restored = await restoreFile(path, revision, tag);
      return presentOf(restored.file, restored.tag);
    },
  };
  const urlOf = ({ content, revision }: Side<File>): string =>
    revision === undefined ? bytesUrl(content) : octavo.files.urlAt(path, revision);
  return (
    <HistoryDialog
      source={source}
      name={nameOf(path)}
      compare={(before, after) => (
        <>
          {before.content.version !== after.content.version && (
            <div className="file-versions">
              <FileVersion title={say("Before")} file={before.content} url={urlOf(before)} />
              <FileVersion title={say("After")} file={after.content} url={urlOf(after)} />
            </div>
          )}
          <FieldDifferences fields={compareFields(fieldsOf(before.content), fieldsOf(after.content))} words={words} />
        </>
      )}
      onRestored={({ content }) => {
        queries.setQueryData(["file", path], content);
        return refresh("files");
      }}
      onClose={onClose}
    />
  );
}

/** The bytes of one version: a picture, or the name of the file, with a link to download them. */
function FileVersion({ title, file, url }: { title: string; file: File; url: string }) {
  const [isBroken, setBroken] = useState(false);
  return (
    <figure className="panel file-version">
      {isPicture(file) && !isBroken ? (
        <img src={url} alt={`${title}: ${file.filename}`} onError={() => setBroken(true)} />
      ) : (
        <Thumbnail file={{ ...file, type: "" }} width={120} height={90} />
      )}
      <figcaption>
        <b>{title}</b>
        <Text size="xs" c="dimmed">
          {file.type}, {formatSize(file)}
        </Text>
        <Anchor href={url} download={file.filename} size="sm" underline="always">
          {say("Download {filename}", { filename: file.filename })}
        </Anchor>
      </figcaption>
    </figure>
  );
}
