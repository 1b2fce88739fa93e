import { Checkbox, Text } from "@mantine/core";
import { titleOf } from "../api/entry.ts";
import { say, sayMany } from "../language/say.ts";
import type { Copies, CopyGroups } from "../model/entry/copies.ts";

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
          <Text size="sm">{sayMany(ready.length, "{count} working copy", "{count} working copies")}</Text>
          <Text size="xs" c="dimmed">
            {say("What was changed is on the site, too.")}
          </Text>
        </div>
      )}
      {outdated.length > 0 && (
        <Checkbox
          label={sayMany(outdated.length, "Also {count} outdated working copy", "Also {count} outdated working copies")}
          description={say(
            "Corrected on the site meanwhile, which this would put back: {entries}. To choose of each field, open the entry.",
            { entries: [...named, ...(rest > 0 ? [say("and {rest} more", { rest })] : [])].join("; ") },
          )}
          checked={isTicked}
          onChange={(event) => onTick(event.currentTarget.checked)}
        />
      )}
      {scheduled.length > 0 && (
        <Text size="sm" c="dimmed">
          {sayMany(
            scheduled.length,
            "{count} working copy waits for a time or a release.",
            "{count} working copies wait for a time or a release.",
          )}
        </Text>
      )}
    </>
  );
}
