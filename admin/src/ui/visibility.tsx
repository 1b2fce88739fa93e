import { Badge } from "@mantine/core";
import type { Visibility } from "../api/entry.ts";
import { stateLabels, stateOf } from "../model/entry/state.ts";

type VisibilityProps = { visibility: Visibility; publishedAt: number };

/** The public state of an entry. */
export function VisibilityBadge({ visibility, publishedAt }: VisibilityProps) {
  const { label, color } = stateOf(visibility, publishedAt);
  return <Badge color={color}>{stateLabels[label]}</Badge>;
}
