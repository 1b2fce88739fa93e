import { queryOptions } from "@tanstack/react-query";
import type { ContentType } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";

/** A store has at most as many types as a page can hold. Contract, part two, §9. */
const pageTypes = 1000;

/** All content types, by id. */
export const typesQuery = queryOptions({
  queryKey: ["types"],
  queryFn: async ({ signal }): Promise<ContentType[]> =>
    (await octavo.types.list({ limit: pageTypes }, { signal })).items,
  // Read once a session, and again after a change here.
  staleTime: Number.POSITIVE_INFINITY,
});
