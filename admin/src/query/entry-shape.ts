import { useQuery } from "@tanstack/react-query";
import type { Json } from "../api/json.ts";
import type { Shape } from "../model/form/schema.ts";
import { useTypesRead } from "./use-types.ts";

/** The form of an entry's type, by which its fields and their values have names; undefined where it has none, or not yet. */
export function useEntryShape({ slug, fieldset }: { slug: string; fieldset?: Json | undefined }): Shape | undefined {
  const { types } = useTypesRead();
  const id = types?.typeOf(slug, fieldset)?.id;
  return useQuery({
    queryKey: ["types", "shape", id],
    queryFn: async () => (await import("../model/form/root.ts")).shapeOf(id as string, types?.all ?? []),
    enabled: id !== undefined,
  }).data;
}
