import { useQuery } from "@tanstack/react-query";
import { OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { statesOf } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { SaveState, StoredState } from "../model/draft/editing.ts";
import { useSession } from "../session-context.ts";

/** An actor of the log with the name of the person or the label of the token; empty where there is none. */
type Holder = { actor: string; name: string };

/** What the service says to an open page of an entry: who else has it open, its state, and who changed it last. */
type PresenceReply = { people: Holder[]; tag: string; changed: (Holder & { at: number }) | null };

export type Presence = {
  /** The names of those who have it open, too. */
  names: string[];
  /** Somebody else has saved since: who and when, where the log still says so. */
  change: { name: string | undefined; at: number | undefined; tag: string } | undefined;
  /** Somebody else has deleted or moved it since. */
  isGone: boolean;
};

const everyMs = 5000;

const tell = async (id: string): Promise<PresenceReply> =>
  (await octavo.request<PresenceReply>("POST /admin/presence", { id })).data;

/**
 * Says each five seconds that the entry is open, while the page is seen, and answers what is new. What was asked before the
 * last own save is not counted: the answer is of another state.
 */
export function usePresence({ base: { slug }, tag, isSaving }: StoredState & SaveState, isEnabled: boolean): Presence {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["presence", slug, statesOf(tag)],
    queryFn: () => tell(slug),
    enabled: isEnabled,
    placeholderData: (before, query) => (query?.queryKey[1] === slug ? before : undefined),
    refetchInterval: ({ state }) => !isOver(state.error) && everyMs,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const own = useSession();
  const nameOf = ({ actor, name }: Holder): string =>
    own.person && actor === own.token.id ? say("you, in another window") : name || shortName(actor);
  if (error !== null || !data)
    return { names: [], change: undefined, isGone: !isSaving && isEnabled && isMissing(error) };
  const { changed } = data;
  const isChanged = !isPlaceholderData && !isSaving && statesOf(data.tag) !== statesOf(tag);
  return {
    names: data.people.map(nameOf).sort(),
    change: isChanged ? { name: changed ? nameOf(changed) : undefined, at: changed?.at, tag: data.tag } : undefined,
    isGone: false,
  };
}

const isMissing = (error: unknown): boolean => error instanceof OctavoProblem && error.code === "entry_not_found";

/** The session is over: the next one begins again. */
const isOver = (error: unknown): boolean => error instanceof OctavoProblem && error.status === 401;

const shortName = (actor: string): string =>
  actor === "octavo" ? say("Octavo itself") : actor.replace("person:", "").slice(0, 8);
