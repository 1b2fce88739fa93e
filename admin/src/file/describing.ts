import { OctavoProblem } from "../../../client/src/client.ts";
import { useMay, useWrites, useWritesLive } from "../session-context.ts";
import { messageOf } from "../ui/state.tsx";
import { useUploads } from "./uploads.ts";

/** Whether files may be described at all. The service refuses an author those of others, and those that are on the site. */
export const useMayDescribe = (): boolean => [useWrites(), useMay("files")].every(Boolean);

/** Whether the words of this file are asked for: of an author only when it was uploaded here. */
export function useIsAsked(path: string): boolean {
  const [isLive, mayDescribe, uploads] = [useWritesLive(), useMayDescribe(), useUploads()];
  return isLive || (mayDescribe && uploads.some((upload) => upload.path === path));
}

/** Why it was not saved, for who only prepares. */
export function refusalOf(error: unknown): string {
  const code = error instanceof OctavoProblem ? error.code : undefined;
  if (code === "scope_missing") return "Somebody else uploaded it, or has replaced it: ask an editor.";
  if (code === "in_use") return "It is on the site already: ask an editor.";
  return messageOf(error);
}
