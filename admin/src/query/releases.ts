import { useQuery } from "@tanstack/react-query";
import { listReleases, type Release } from "../api/release.ts";
import { usePreference } from "../session/preference.ts";
import { useMay, useSession } from "../session-context.ts";
import { refresh } from "../ui/query.ts";

/** The release that one works in: what one saves goes into it. */

export const releasesQuery = { queryKey: ["releases"], queryFn: listReleases };

/** Reloads the releases and their entries. */
export const rereadReleases = (): Promise<unknown> => refresh("releases", "release", "staged");

/** Entries can be put into it. */
export const isOpen = ({ state }: Release): boolean => state === "open" || state === "failed";

export type Releases = {
  all: readonly Release[];
  open: readonly Release[];
  /** Kept for the person; undefined once it is published, scheduled or deleted. */
  chosen: Release | undefined;
  /** Undefined for none. */
  choose(id: string | undefined): void;
};

/** For who may not save anything none is open. */
export function useReleases(): Releases {
  // In one language, perhaps.
  const mayWrite = useSession().token.writes !== "none";
  const [id, setId] = usePreference("release", "");
  const { data: all = [] } = useQuery({ ...releasesQuery, enabled: useMay("entries") });
  const open = mayWrite ? all.filter(isOpen) : [];
  return { all, open, chosen: open.find((each) => each.id === id), choose: (chosen) => setId(chosen ?? "") };
}
