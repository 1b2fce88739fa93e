import { QueryClient } from "@tanstack/react-query";
import { Refusal } from "../api/request.ts";

/** What was read of the service, until a write makes it old. A refusal is an answer: only silence is asked again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && !(error instanceof Refusal && error.status !== 0),
      refetchOnWindowFocus: true,
    },
  },
});

/** Makes what begins with one of the keys old: it is read again where it is shown. */
export const refresh = (...keys: string[]): Promise<unknown> =>
  Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
