import { useQuery } from "@tanstack/react-query";
import type { Types } from "../model/types.ts";
import { useMay } from "../session-context.ts";
import { queries } from "../ui/query.ts";
import { typesQuery } from "./types-query.ts";

const none: Types = { all: [], typeOf: () => undefined };

/** The code that reads patterns is loaded with the first type. */
async function readTypes(): Promise<Types> {
  const all = await queries.fetchQuery(typesQuery);
  return all.length === 0 ? none : (await import("../model/types.ts")).withPaths(all);
}

/** The types, read once and again after a change here; `isReading` until the first answer, also a refusal. */
export function useTypesRead(): { types: Types | undefined; isReading: boolean } {
  const { data, isLoading } = useQuery({
    queryKey: [...typesQuery.queryKey, "look-up"],
    queryFn: readTypes,
    enabled: useMay("entries"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { types: data, isReading: isLoading };
}
