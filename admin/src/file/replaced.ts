import { etagOf } from "../../../client/src/client.ts";
import { fileHistory, restoreFile } from "../api/history.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import { offerUndo } from "../ui/undo.tsx";

/** Offers to undo an upload in place of a file: it gets back what it had, unless it was changed since. */
export function offerReplaced(path: string, stored: object): void {
  const undo = async (): Promise<void> => {
    try {
      const { items } = await fileHistory(path);
      if (items[0]) await restoreFile(path, items[0].revision, etagOf(stored) ?? "");
      await refresh("files", "file");
    } catch (error) {
      notifyFailure(error);
    }
  };
  offerUndo(say("Replaced"), nameOf(path), () => void undo());
}
