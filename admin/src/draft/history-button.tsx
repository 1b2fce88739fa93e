import { ActionIcon, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { History } from "lucide-react";
import { lazy, Suspense } from "react";
import { say } from "../language/say.ts";
import type { SaveState, StoredState } from "../model/draft/editing.ts";

const EntryHistory = lazy(async () => ({ default: (await import("./entry-history.tsx")).EntryHistory }));

/** Opens the history of an entry, or of what it says in another locale. */
export function HistoryButton({ editing }: { editing: StoredState & SaveState }) {
  const [isOpen, history] = useDisclosure(false);
  return (
    <>
      <Tooltip label={say("History")}>
        <ActionIcon size={34} variant="default" aria-label={say("History")} onClick={history.open}>
          <History size={17} />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <Suspense>
          <EntryHistory editing={editing} onClose={history.close} />
        </Suspense>
      )}
    </>
  );
}
