import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { orMissing } from "../api/entry.ts";
import { putAlt, readFile } from "../api/file.ts";
import { useMay, useWritesLive } from "../session-context.ts";
import { queries, refresh } from "../ui/query.ts";
import { messageOf } from "../ui/state.tsx";

type PictureAltProps = {
  path: string;
  /** The picture was just chosen: what it shows is asked for, unless it is known. */
  isAsked: boolean;
};

/** What a picture shows, for those who do not see it. It is kept with the file, for every page that has it. */
export function PictureAlt({ path, isAsked }: PictureAltProps) {
  const [isLive, mayFiles] = [useWritesLive(), useMay("files")];
  const mayWrite = isLive && mayFiles;
  const { data: file } = useQuery({
    queryKey: ["file", path],
    queryFn: async () => (await orMissing(readFile(path))) ?? null,
    retry: false,
  });
  const stored = typeof file?.alt === "string" ? file.alt : "";
  const [typed, setTyped] = useState<string>();
  const [note, setNote] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const isWanted = isAsked && file != null && stored === "";
  useEffect(() => {
    if (isWanted) input.current?.focus();
  }, [isWanted]);
  if (!file) return null;
  const save = async (): Promise<void> => {
    if (typed === undefined || typed.trim() === stored) return;
    try {
      queries.setQueryData(["file", path], await putAlt(file, path, typed.trim()));
      setTyped(undefined);
      setNote("Saved with the file.");
      void refresh("files");
    } catch (error) {
      setNote(`Not saved: ${messageOf(error)}`);
    }
  };
  return (
    <TextInput
      ref={input}
      size="xs"
      mt={6}
      label="What the picture shows"
      description={note ?? "Read out where the picture is not seen. Kept with the file."}
      value={typed ?? stored}
      readOnly={!mayWrite}
      attributes={{ input: { dir: "auto" } }}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        setNote(undefined);
      }}
      onBlur={() => void save()}
      onKeyDown={(event) => event.key === "Enter" && void save()}
    />
  );
}
