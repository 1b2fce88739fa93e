import { rereadEntries } from "../entry/query.ts";
import type { Editing } from "../entry/use-draft.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import { type Publication, undoPublication } from "./published.ts";

/** Undoes a publication, also after the editor was left. */
export const undoWith =
  (take: Editing["take"]): ((publication: Publication) => void) =>
  (publication) =>
    void undoPublication(publication)
      .then(async (state) => {
        take(state);
        await Promise.all([rereadEntries(), refresh("staged")]);
      })
      .catch(notifyFailure);
