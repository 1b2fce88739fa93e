import { sayParts } from "../ui/say-parts.tsx";
import "./presence.css";
import { Button, CloseButton, Group, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { type OpenedEntry, openEntry } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { ConcurrentChange, DraftEdit, SaveState } from "../model/draft/editing.ts";
import { notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import type { Presence } from "./presence.ts";

const Newer = lazy(async () => ({ default: (await import("./newer.tsx")).Newer }));

type ChangedProps = { editing: DraftEdit & SaveState & ConcurrentChange; presence: Presence };

/**
 * Says that somebody else has saved the entry since, below the form, where nothing is moved. With unsaved changes the
 * conflict is shown that the next save would meet.
 */
export function Changed({ editing, presence: { change, isGone } }: ChangedProps) {
  const [closed, setClosed] = useState<string>();
  const [isComparing, setComparing] = useState(false);
  const told = isGone ? "gone" : change?.tag;
  const isShown = told !== undefined && told !== closed && editing.theirs === undefined;
  const read = (show: (newer: OpenedEntry) => void) => (): void =>
    void openEntry(editing.base.slug).then(show).catch(notifyFailure);
  return (
    <div className="changed" role="status" aria-label={say("Changed elsewhere")}>
      {isShown && (
        <div className="changed-bar">
          <Text size="sm" className="changed-words">
            {isGone ? say("Somebody else deleted or moved this entry.") : <Words change={change} />}
          </Text>
          {!isGone && (
            <Group gap="xs" wrap="nowrap">
              <Button size="xs" onClick={read(editing.follow)}>
                {say("Reload")}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={editing.isDirty ? read(editing.overtake) : () => setComparing(true)}
              >
                {say("Compare")}
              </Button>
            </Group>
          )}
          <CloseButton aria-label={say("Close the notice")} onClick={() => setClosed(told)} />
        </div>
      )}
      {isComparing && (
        <Suspense>
          <Newer editing={editing} onClose={() => setComparing(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Words({ change }: Pick<Presence, "change">) {
  const name = change?.name ?? say("somebody else");
  return change?.at === undefined
    ? say("Changed by {name} meanwhile.", { name })
    : sayParts("Changed by {name} {time}.", { name, time: <Ago seconds={change.at} /> });
}
