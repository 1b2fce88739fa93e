import { useCallback } from "react";
import { octavo } from "../api/octavo.ts";
import type { Session } from "../api/session.ts";
import { useSession } from "../session-context.ts";
import { storeOf } from "../ui/store.ts";

/**
 * What the page keeps for whoever is signed in: for a person in the store of the service, for a session by tokens in the
 * browser. The browser has a copy in either case, so that a page is shown as it was at once.
 */

type Values = Record<string, unknown>;
/** `unsent` are the names whose values the service does not have yet. */
type Kept = { values: Values; unsent: string[] };

const prefix = "octavo.preferences.";
const sendAfterMs = 800;

/** The preference of this name, `initial` until there is one, and a function that sets it. Values are JSON, small. */
export function usePreference<T>(name: string, initial: T): [value: T, set: (value: T) => void] {
  const keeper = keeperOf(useSession());
  const { values } = keeper.store.use();
  const set = useCallback((value: T) => keeper.set(name, value), [keeper, name]);
  return [Object.hasOwn(values, name) ? (values[name] as T) : initial, set];
}

type Keeper = ReturnType<typeof newKeeper>;
const keepers = new Map<string, Keeper>();

function keeperOf({ token: { id }, person }: Session): Keeper {
  const keeper = keepers.get(id) ?? newKeeper(id, person !== undefined);
  keepers.set(id, keeper);
  return keeper;
}

function newKeeper(holder: string, isPerson: boolean) {
  const store = storeOf<Kept>(readCopy(holder));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = (kept: Kept): void => {
    store.set(kept);
    writeCopy(holder, kept);
  };
  const send = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const { values, unsent } = store.get();
    if (unsent.length === 0) return;
    change({ values, unsent: [] });
    const preferences = Object.fromEntries(unsent.map((name) => [name, values[name] ?? null]));
    try {
      await octavo.people.me.update({ preferences });
    } catch {
      // Sent with the next change, or by the next page.
      const now = store.get();
      change({ ...now, unsent: [...new Set([...now.unsent, ...unsent])] });
    }
  };
  const read = async (): Promise<void> => {
    const found = await octavo.people.me.fetch().catch(() => undefined);
    if (!found) return;
    const { values, unsent } = store.get();
    const own = Object.fromEntries(unsent.map((name) => [name, values[name]]));
    change({ values: { ...(found.preferences as Values), ...own }, unsent });
    await send();
  };
  if (isPerson) {
    void read();
    addEventListener("pagehide", () => void send());
  }
  return {
    store,
    set(name: string, value: unknown): void {
      const { values, unsent } = store.get();
      change({ values: { ...values, [name]: value }, unsent: isPerson ? [...new Set([...unsent, name])] : [] });
      if (!isPerson) return;
      clearTimeout(timer);
      timer = setTimeout(() => void send(), sendAfterMs);
    },
  };
}

/** The storage may be forbidden, and hold what an older page wrote. */
function readCopy(holder: string): Kept {
  try {
    return { values: {}, unsent: [], ...(JSON.parse(localStorage.getItem(prefix + holder) ?? "{}") as Partial<Kept>) };
  } catch {
    return { values: {}, unsent: [] };
  }
}

function writeCopy(holder: string, kept: Kept): void {
  try {
    localStorage.setItem(prefix + holder, JSON.stringify(kept));
  } catch {
    // Kept until the page is closed.
  }
}
