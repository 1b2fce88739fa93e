import type { StoredState } from "../model/draft/editing.ts";
import { type Publication, undoPublication } from "../model/draft/published.ts";
import { rereadEntries } from "../query/entry.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";

/** Undoes a publication, also after the editor was left. */
export const undoWith =
  (take: StoredState["take"]): ((publication: Publication) => void) =>
  (publication) =>
    void undoPublication(publication)
      .then(async (state) => {
        take(state);
        await Promise.all([rereadEntries(), refresh("staged")]);
      })
      .catch(notifyFailure);
