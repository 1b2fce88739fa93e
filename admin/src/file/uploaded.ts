import { useState } from "react";
import { type File, isPicture } from "../api/file.ts";
import { useMayDescribe } from "./describing.ts";
import { isOpen, useUploads } from "./uploads.ts";

/** One picture is described where it is shown. */
const fewestAsked = 2;

/** The uploads of a page; once all are over, the pictures among them that say nothing yet, where there are several. */
export function useUploaded(): { pictures: readonly File[]; add(ids: readonly number[]): void; clear(): void } {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const mayDescribe = useMayDescribe();
  const uploads = useUploads().filter(({ id }) => ids.has(id));
  const stored = uploads.some(isOpen) ? [] : uploads.flatMap((upload) => upload.stored ?? []);
  const pictures = stored.filter((file) => isPicture(file) && !file.alt);
  return {
    pictures: mayDescribe && pictures.length >= fewestAsked ? pictures : [],
    add: (more) => setIds((before) => new Set([...before, ...more])),
    clear: () => setIds(new Set()),
  };
}
