import { Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type File, isPicture, putAlt, readFile } from "../api/file.ts";
import { useIsAsked } from "../file/describing.ts";
import { Thumbnail } from "../file/thumbnail.tsx";
import { FocalPoint } from "../image/focal-point.tsx";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";

type AskAltProps = {
  path: string;
  /** Once, with the words that describe the picture, for a text; also when nothing was asked. */
  onDone(words: string): void;
};

/** Whether its title is only its name, as an upload gives it: that says nothing of what it shows. */
const isNamed = ({ title, filename }: File): boolean => plain(filename).startsWith(plain(title));
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Asks what a chosen picture shows, if nobody has said it: the words are kept with the file, as `alt`. */
export function AskAlt({ path, onDone }: AskAltProps) {
  const mayWrite = useIsAsked(path);
  const { data: file, error } = useQuery({ queryKey: ["file", path, "alt"], queryFn: () => readFile(path), gcTime: 0 });
  const [typed, setTyped] = useState<string>();
  const known = typeof file?.alt === "string" ? file.alt : undefined;
  const words = known || file?.description || (file && !isNamed(file) && file.title) || "";
  const isAsked = file !== undefined && isPicture(file) && known === undefined && mayWrite;
  const isDone = error !== null || (file !== undefined && !isAsked);
  const wasSaid = useRef(false);
  const end = (said: string): void => {
    if (wasSaid.current) return;
    wasSaid.current = true;
    onDone(said);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is known.
  useEffect(() => {
    if (isDone) end(words);
  }, [isDone]);
  if (!file || !isAsked) return null;
  const text = typed ?? words;
  const store = async (): Promise<void> => {
    const alt = text.trim();
    await putAlt(file, path, alt);
    end(alt);
    await refresh("files", "file");
  };
  return (
    <FormDialog
      title={say("What does the picture show?")}
      submit={say("Save")}
      onSubmit={store}
      onClose={() => end(words)}
    >
      <FocalPoint
        file={file}
        path={path}
        width={320}
        height={210}
        isReadOnly={false}
        instead={<Thumbnail file={file} width={320} height={210} />}
      />
      <TextInput
        label={say("Description")}
        value={text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        placeholder={say("Two people on a pier, at dusk")}
        data-autofocus
      />
      <Text size="xs" c="dimmed">
        {say("Read to people who do not see it, and by search engines. Leave it empty if the picture only decorates.")}
      </Text>
    </FormDialog>
  );
}
