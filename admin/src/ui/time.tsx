import { Tooltip } from "@mantine/core";
import { formatAgo, formatExactly } from "../model/format.ts";

/** A relative time such as "3 minutes ago", with the exact time as a tooltip. */
export function Ago({ seconds }: { seconds: number }) {
  return (
    <Tooltip label={formatExactly(seconds)}>
      <time dateTime={new Date(seconds * 1000).toISOString()}>{formatAgo(seconds)}</time>
    </Tooltip>
  );
}
