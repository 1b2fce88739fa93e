import { useQuery } from "@tanstack/react-query";
import { octavo } from "../api/octavo.ts";

type Description = {
  paths: Record<string, { get?: { parameters?: { name: string; description?: string }[] } }>;
};

/** The help text of each argument, from the service's OpenAPI description. */
export function useArgumentHelp(): Record<string, string> {
  const { data } = useQuery({
    queryKey: ["openapi"],
    queryFn: async () => (await (await octavo.get("/api/openapi.json")).json()) as Description,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const parameters = data?.paths["/api/images/{path}"]?.get?.parameters ?? [];
  return Object.fromEntries(parameters.map(({ name, description = "" }) => [name, description]));
}
