import { say } from "../language/say.ts";
import type { LocalCopy, SaveState } from "../model/draft/editing.ts";
import type { Autosave } from "./autosave.ts";

const tooLarge = say("Not saved, and too large to be kept in this browser");

/** What is said of the saving. */
export function savingOf({ fault, isDirty, isUnkept }: SaveState & LocalCopy, { isStopped, isJust }: Autosave): string {
  if (fault) return say("Cannot be saved: {fault}", { fault });
  if (!isDirty) return isJust ? say("Saved just now") : say("Saved");
  if (isUnkept) return tooLarge;
  return isStopped ? say("Not saved: automatic saving waits for you") : say("Not saved");
}
