import type { LocalCopy, SaveState } from "../model/draft/editing.ts";
import type { Autosave } from "./autosave.ts";

const tooLarge = "Not saved, and too large to be kept in this browser";

/** What is said of the saving. */
export function savingOf({ fault, isDirty, isUnkept }: SaveState & LocalCopy, { isStopped, isJust }: Autosave): string {
  if (fault) return `Cannot be saved: ${fault}`;
  if (!isDirty) return isJust ? "Saved just now" : "Saved";
  if (isUnkept) return tooLarge;
  return isStopped ? "Not saved: automatic saving waits for you" : "Not saved";
}
