import { QueryClient } from "@tanstack/react-query";
import { OctavoConnectionError } from "../../../client/src/client.ts";

/**
 * The query cache: results stay until a write invalidates them. A refusal is a result: only a missing response is
 * retried.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && error instanceof OctavoConnectionError && error.status === undefined,
      refetchOnWindowFocus: true,
    },
  },
});

/** Invalidates every query whose key begins with one of the keys; active ones are refetched. */
export const refresh = (...keys: string[]): Promise<unknown> =>
  Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
