import { useInfiniteQuery } from "@tanstack/react-query";
import { Waypoints } from "lucide-react";
import { Dialog } from "../ui/dialog.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { ReferenceList } from "./reference-list.tsx";
import { type Referred, readReferences } from "./referrers.ts";

type UsedInProps = { thing: Referred; name: string; onClose(): void };

/** The entries that refer to a thing, in pages of 100. */
export function UsedIn({ thing, name, onClose }: UsedInProps) {
  const list = useInfiniteQuery({
    queryKey: ["references", thing.noun, thing.path],
    queryFn: ({ pageParam }) => readReferences(thing, { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: 0,
  });
  const { data, error, refetch } = list;
  const references = data?.pages.flatMap(({ items }) => items);
  return (
    <Dialog onClose={onClose} title={`${name} is used in`}>
      {error ? (
        <Failure error={error} title="Who refers to it cannot be read" onRetry={() => void refetch()} />
      ) : !references ? (
        <Loading rows={3} />
      ) : references.length === 0 ? (
        <Empty icon={Waypoints} title="Not used">
          No entry refers to it. Only fields that a content type marks as references count; working copies and the trash
          do not.
        </Empty>
      ) : (
        <>
          <ReferenceList references={references} onFollow={onClose} />
          <ShowMore list={list} />
        </>
      )}
    </Dialog>
  );
}
