import { Badge } from "@mantine/core";
import type { Release } from "../api/release.ts";
import { say } from "../language/say.ts";
import { formatMoment } from "../model/format.ts";

const states: Record<Release["state"], { label: string; color: string }> = {
  open: { label: say("Open"), color: "yellow" },
  scheduled: { label: say("Scheduled"), color: "blue" },
  published: { label: say("Published"), color: "teal" },
  failed: { label: say("Failed"), color: "red" },
};

/** The state of a release. */
export const StateBadge = ({ release: { state } }: { release: Release }) => (
  <Badge color={states[state].color}>{states[state].label}</Badge>
);

/** When it goes live, or went; undefined without a time. */
export const whenOf = ({ at }: Release): string | undefined => (at === undefined ? undefined : formatMoment(at));

/** What the state means. */
export function meaningOf(release: Release): string {
  const when = whenOf(release);
  switch (release.state) {
    case "open":
      return say("Nothing of it is on the site yet.");
    case "scheduled":
      return say("It goes live on {when}. Until then nothing can be changed in it.", { when });
    case "published":
      return say("It went live on {when}.", { when });
    case "failed":
      return say("Its time came, and it was refused: nothing went live. Correct it, and publish it again.");
  }
}
