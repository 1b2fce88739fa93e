import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useContext, useEffect, useRef, useState } from "react";
import { findFile, isPicture, putAlt } from "../api/file.ts";
import { useMayDescribe } from "../file/describing.ts";
import { FocalPoint } from "../image/focal-point.tsx";
import { say } from "../language/say.ts";
import { refusalOf } from "../model/describe-refusal.ts";
import { queries, refresh } from "../ui/query.ts";
import { ReadOnlyContext } from "../ui/read-only.ts";

/** The file; null when there is none. */
export const fileQuery = (path: string) => ({ queryKey: ["file", path], queryFn: () => findFile(path), retry: false });

type PictureAltProps = {
  path: string;
  /** The picture was just chosen: what it shows is asked for, unless it is known. */
  isAsked: boolean;
};

/**
 * The point that crops of a picture keep, and what it shows, for those who do not see it. Both are kept with the file, for
 * every page that has it.
 */
export function PictureAlt({ path, isAsked }: PictureAltProps) {
  const isReadOnly = useContext(ReadOnlyContext);
  const mayWrite = useMayDescribe() && !isReadOnly;
  const { data: file } = useQuery(fileQuery(path));
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
      setNote(say("Saved with the file."));
      void refresh("files");
    } catch (error) {
      setNote(say("Not saved. {refusal}", { refusal: refusalOf(error) }));
    }
  };
  const words = (
    <TextInput
      ref={input}
      size="xs"
      label={say("What the picture shows")}
      description={note ?? say("Read out where the picture is not seen. Kept with the file.")}
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
  return (
    <div className="focal-beside">
      {isPicture(file) && <FocalPoint file={file} path={path} width={180} height={140} isReadOnly={!mayWrite} />}
      {words}
    </div>
  );
}
