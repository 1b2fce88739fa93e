import { useQuery } from "@tanstack/react-query";
import type { View } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { type EntryFilter, emptyFilter, formatFilter, toQueryIn } from "../model/filter/filter.ts";
import { usePreference } from "../session/preference.ts";
import { useSession } from "../session-context.ts";
import { refresh } from "../ui/query.ts";

/** Saved tables: a person's are in the store, those of a session by tokens in this browser. */

export type SavedView = Pick<View, "id" | "title" | "path" | "columns" | "shared" | "owner_name"> & {
  filter: EntryFilter;
  /** Whether the session may delete it. */
  isOwn: boolean;
};

type Saved = { title: string; path: string; columns: readonly string[]; filter: EntryFilter; shared: boolean };
type Views = {
  views: readonly SavedView[];
  /** Absent where views cannot be shared. */
  maySave: { shared: boolean };
  save(view: Saved): Promise<unknown>;
  remove(id: string): Promise<unknown>;
};

const filterOf = (filter: unknown): EntryFilter => ({ ...emptyFilter, ...(Object(filter) as Partial<EntryFilter>) });
const toldOf = (filter: EntryFilter): unknown => JSON.parse(formatFilter(filter) ?? "{}");

export function useViews(): Views {
  const { person, role } = useSession();
  const [kept, keep] = usePreference<readonly SavedView[]>("views", []);
  const isPerson = person !== undefined;
  const { data = [] } = useQuery({ queryKey: ["views"], queryFn: () => octavo.views.list(), enabled: isPerson });
  if (!isPerson)
    return {
      views: kept.map((view) => ({ ...view, filter: filterOf(view.filter) })),
      maySave: { shared: false },
      save: async (view) => {
        const made = { ...view, columns: [...view.columns], filter: toldOf(view.filter) as EntryFilter };
        keep([...kept, { ...made, id: String(Date.now()), shared: false, owner_name: "", isOwn: true }]);
      },
      remove: async (id) => keep(kept.filter((view) => view.id !== id)),
    };
  const change = async (made: Promise<unknown>): Promise<void> => {
    await made;
    await refresh("views");
  };
  return {
    views: data.map((view) => ({
      ...view,
      filter: filterOf(view.filter),
      isOwn: view.owner === person.id || (role?.id === "owner" && view.shared),
    })),
    maySave: { shared: true },
    save: ({ title, path, shared, filter, columns }) => {
      const { sort = "" } = toQueryIn(filter, undefined) as { sort?: string };
      const made = { title, path, shared, columns: [...columns], filter: toldOf(filter), sort };
      return change(octavo.views.create(made));
    },
    remove: (id) => change(octavo.views.delete(id)),
  };
}
