import { Checkbox, Text } from "@mantine/core";
import { titleOf } from "../api/entry.ts";
import type { Copies, CopyGroups } from "../model/entry/copies.ts";
import { plural } from "../model/format.ts";

const mostNamed = 3;

type CopyLinesProps = CopyGroups & { copies: Copies; isTicked: boolean; onTick(isTicked: boolean): void };

/** Says how many copies there are of each group, and asks for the outdated ones. */
export function CopyLines({ ready, outdated, scheduled, copies, isTicked, onTick }: CopyLinesProps) {
  const named = outdated
    .slice(0, mostNamed)
    .map((entry) => `${titleOf(entry)} (${copies.get(entry.slug)?.outdated.join(", ")})`);
  const rest = outdated.length - named.length;
  return (
    <>
      {ready.length > 0 && (
        <div>
          <Text size="sm">{plural(ready.length, "working copy", "working copies")}</Text>
          <Text size="xs" c="dimmed">
            What was changed is on the site, too.
          </Text>
        </div>
      )}
      {outdated.length > 0 && (
        <Checkbox
          label={`Also ${plural(outdated.length, "outdated working copy", "outdated working copies")}`}
          description={`Corrected on the site meanwhile, which this would put back: ${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}. To choose of each field, open the entry.`}
          checked={isTicked}
          onChange={(event) => onTick(event.currentTarget.checked)}
        />
      )}
      {scheduled.length > 0 && (
        <Text size="sm" c="dimmed">
          {plural(scheduled.length, "working copy waits", "working copies wait")} for a time or a release.
        </Text>
      )}
    </>
  );
}
