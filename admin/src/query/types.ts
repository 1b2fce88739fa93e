import { useQuery } from "@tanstack/react-query";
import { type Types, withPaths } from "../model/types.ts";
import { useMay, useWritesLive } from "../session-context.ts";
import { typesQuery } from "./types-query.ts";

/** Undefined until they are read, and for sessions that may not manage entries. */
export const useTypes = (): Types | undefined =>
  useQuery({ ...typesQuery, enabled: useMay("entries"), select: withPaths }).data;

/** Whether this session may change types. */
export function useMayChangeTypes(): boolean {
  const mayAdmin = useMay("admin");
  return useWritesLive() && mayAdmin;
}
