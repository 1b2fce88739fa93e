import { useEffect, useState } from "react";
import { say } from "../language/say.ts";
import { Confirm } from "./dialog.tsx";
import { guardLeaving } from "./location.tsx";

/** Asks before changes are lost: by a link, by the browser's buttons, by closing the tab. */
export function LeaveQuestion({ isDirty, onDiscard }: { isDirty: boolean; onDiscard?(): void }) {
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => {
    if (!isDirty) return;
    const release = guardLeaving((to) => {
      setLeave(() => to);
      return false;
    });
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => {
      release();
      removeEventListener("beforeunload", hold);
    };
  }, [isDirty]);
  if (!leave) return null;
  return (
    <Confirm
      title={say("Leave without saving?")}
      submit={say("Discard changes")}
      onSubmit={async () => {
        onDiscard?.();
        leave();
      }}
      onClose={() => setLeave(undefined)}
    >
      {say("What you changed here has not been saved.")}
    </Confirm>
  );
}
