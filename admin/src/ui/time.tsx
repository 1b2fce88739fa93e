import { Tooltip } from "@mantine/core";
import { formatAgo, formatExactly } from "./format.ts";

/** A moment as "3 minutes ago", exact where it is pointed at. */
export function Ago({ seconds }: { seconds: number }) {
  return (
    <Tooltip label={formatExactly(seconds)}>
      <time dateTime={new Date(seconds * 1000).toISOString()}>{formatAgo(seconds)}</time>
    </Tooltip>
  );
}
