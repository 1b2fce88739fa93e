import { useSyncExternalStore } from "react";
import { Confirm } from "../ui/dialog.tsx";

/** Confirms deletions on a service without a trash. */

type Question = { name: string; act(): void };

let question: Question | undefined;
const listeners = new Set<() => void>();

function change(to: Question | undefined): void {
  question = to;
  for (const listener of listeners) listener();
}

/** Asks before things are deleted for good. */
export const askFirst = (name: string, act: () => void): void => change({ name, act });

/** The open question, if there is one. */
export function DeletionQuestion() {
  const asked = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question,
  );
  if (!asked) return null;
  return (
    <Confirm
      title={`Delete ${asked.name} for good?`}
      submit="Delete for good"
      onSubmit={async () => asked.act()}
      onClose={() => change(undefined)}
    >
      This service has no trash: what is deleted, with all below it, cannot be restored.
    </Confirm>
  );
}
