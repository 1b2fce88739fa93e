import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { HistoryPage } from "../api/history.ts";

/** A thing with a history: how it is read and restored. `S` is its content, `P` its present one. */
export type HistorySource<S, P extends Present<S> = Present<S>> = {
  /** Identifies it among all things: its noun and path. */
  key: readonly [noun: string, path: string];
  list(cursor: string | undefined): Promise<HistoryPage>;
  /** The present content. */
  present(): Promise<P>;
  /** The content that was in force at a revision. Throws revision_not_found. */
  at(revision: number): Promise<S>;
  /**
   * Throws revision_mismatch, unless `tag` is that of the present content. Answers the new one. `state` is for a thing
   * with a `state` here.
   */
  restore(revision: number, tag: string, options: { state: boolean }): Promise<P>;
  /** Of what an entry says in another locale: who writes there restores it. */
  locale?: string | undefined;
  /** What a restore leaves as it is, unless the user wants that back, too. */
  state?: StateOf<S>;
};

/** The part of a content that says who reads it, and the rest. */
export type StateOf<S> = {
  /** What is asked: the label of the box. */
  label: string;
  /** What the thing would be after a restore of the content without its state. */
  without(content: S, present: S): S;
  /** Says what a restore would change of the present, and what it would leave. */
  effect(content: S, present: S, restored: S): string;
};

export type Present<S> = { content: S; tag: string /** When it was written. */; at?: number | undefined };

/** A content that a thing has or had. */
export type Version = {
  /** Undefined for the present one. */
  revision: number | undefined;
  /** Null when it is not known. */
  at: number | null;
  /** Who made it, as the log names him; null when it is not known. */
  actor: string | null;
  /** The name of a person. */
  actor_name?: string | undefined;
  bytes: number | undefined;
};

// Read again whenever the dialog opens: the list and the present content must belong together.
const fresh = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, retry: false } as const;

/** The versions of a thing, newest first, the present one on top. */
export function useTimeline<S, P extends Present<S>>(source: HistorySource<S, P>) {
  const key = ["history", ...source.key];
  const list = useInfiniteQuery({
    ...fresh,
    queryKey: [...key, "list"],
    queryFn: ({ pageParam }) => source.list(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  });
  const present = useQuery({ ...fresh, queryKey: [...key, "present"], queryFn: () => source.present() });
  const rows = list.data?.pages.flatMap((page) => page.items);
  const [newest] = rows ?? [];
  const now: Version = {
    revision: undefined,
    at: newest?.replaced_at ?? present.data?.at ?? null,
    actor: newest?.replaced_by ?? null,
    actor_name: newest?.replaced_by_name,
    bytes: undefined,
  };
  return {
    list,
    present: present.data,
    versions: rows && present.data && [now, ...rows],
    error: list.error ?? present.error,
    reread: () => Promise.all([list.refetch(), present.refetch()]),
  };
}

/** The content of a version; undefined while it is read. */
export function useContent<S, P extends Present<S>>(source: HistorySource<S, P>, version: Version, present: P) {
  const { revision } = version;
  const { data, error } = useQuery({
    queryKey: ["history", ...source.key, "at", revision],
    queryFn: () => source.at(revision as number),
    enabled: revision !== undefined,
    // The past does not change.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return revision === undefined ? { content: present.content, error: null } : { content: data, error };
}
