import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { octavo } from "../api/octavo.ts";
import { renditionUrl } from "../model/image/address.ts";
import type { Values } from "../model/image/arguments.ts";

export type Picture = { url: string; bytes: number; type: string; tookMs: number };

/** The image with the arguments applied. The previous one stays until the next is loaded or fails. */
export function usePicture(path: string, values: Values, version: string) {
  const [settled] = useDebouncedValue(values, 180);
  const query = useQuery({
    queryKey: ["picture", path, version, settled],
    queryFn: ({ signal }) => fetchPicture(path, settled, version, signal),
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const drawn = useLast(query.data, query.isError);
  const url = useObjectUrl(drawn?.blob);
  const picture = drawn && url ? { ...drawn, url } : undefined;
  return { picture, error: query.error, isDrawing: query.isFetching || settled !== values };
}

/** The last defined value, until it is reset. */
function useLast<T>(value: T | undefined, isOver: boolean): T | undefined {
  const [last, setLast] = useState(value);
  const now = isOver ? undefined : (value ?? last);
  if (now !== last) setLast(now);
  return now;
}

async function fetchPicture(path: string, values: Values, v: string, signal: AbortSignal) {
  const startedMs = performance.now();
  const response = await octavo.get(renditionUrl(path, { ...values, v, strict: "1" }), { signal });
  const blob = await response.blob();
  return { blob, bytes: blob.size, type: blob.type, tookMs: performance.now() - startedMs };
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    // Not at once: the previous image is on the page until this one is loaded.
    return () => void setTimeout(() => URL.revokeObjectURL(made), 1000);
  }, [blob]);
  return url;
}
