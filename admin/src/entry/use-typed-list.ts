import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Entry } from "../api/entry.ts";
import { typesQuery } from "../query/types-query.ts";
import type { TypedList } from "../type/typed-list.tsx";
import { queries } from "../ui/query.ts";

/** What the type of these entries says about their list. A store without types loads nothing for it. */
export function useTypedList(path: string, entries: readonly Entry[]): TypedList | undefined {
  const { data: typedListOf } = useQuery({
    queryKey: ["types", "lists"],
    queryFn: async () => {
      const types = await queries.fetchQuery(typesQuery);
      if (types.length === 0) return null;
      return (await import("../type/typed-list.tsx")).typedLists(types);
    },
  });
  return useMemo(() => typedListOf?.(path, entries), [typedListOf, path, entries]);
}
