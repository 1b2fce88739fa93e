import { itemAt, itemHistory } from "../api/history.ts";
import type { Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { DifferenceView } from "../history/difference-view.tsx";
import { HistoryDialog } from "../history/history-dialog.tsx";
import type { HistorySource } from "../history/timeline.ts";
import { compare } from "../model/difference.ts";
import { refresh } from "../ui/query.ts";
import { readItem } from "./item.ts";

/** The history of a registry item. Its restore has no precondition: the value that it replaces is in the history. */
export function ItemHistory({ id, onClose }: { id: string; onClose(): void }) {
  const present = async () => ({ content: { value: await readItem(id) }, tag: "" });
  const source: HistorySource<{ value: Json }> = {
    key: ["registry", id],
    list: (cursor) => itemHistory(id, cursor),
    present,
    at: async (revision) => ({ value: await itemAt(id, revision) }),
    restore: async (revision) => {
      await octavo.registry.restore(id, revision);
      return present();
    },
  };
  return (
    <HistoryDialog
      source={source}
      name={id}
      compare={(before, after) => <DifferenceView difference={compare(before.content.value, after.content.value)} />}
      onRestored={() => refresh("registry")}
      onClose={onClose}
    />
  );
}
