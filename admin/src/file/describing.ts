import { useMay, useWrites, useWritesLive } from "../session-context.ts";
import { useUploads } from "./uploads.ts";

/**
 * Whether files may be described at all, in the locale or in the source. The service refuses an author those of others, and
 * those that are on the site.
 */
export const useMayDescribe = (locale?: string): boolean => [useWrites(locale), useMay("files")].every(Boolean);

/** Whether the words of this file are asked for: of an author only when it was uploaded here. */
export function useIsAsked(path: string): boolean {
  const [isLive, mayDescribe, uploads] = [useWritesLive(), useMayDescribe(), useUploads()];
  return isLive || (mayDescribe && uploads.some((upload) => upload.path === path));
}
