import { personIdOf } from "../core/access/actor.ts";
import type { TokenStore } from "../core/access/token.ts";
import type { Event, EventStore } from "../core/event.ts";
import { manages } from "../core/http/auth.ts";
import { data } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import { slug } from "../core/http/schema.ts";
import { isProblem, problem } from "../core/problem.ts";
import { type StagedStore, stagedTag } from "../working-copy/staged.ts";
import type { PersonStore } from "./person.ts";
import type { PresenceStore } from "./presence.ts";
import type { Sessions } from "./session-cookie-wire.ts";

type Ports = {
  presence: PresenceStore;
  staged: Pick<StagedStore, "find">;
  events: Pick<EventStore, "list">;
  people: Pick<PersonStore, "namesOf">;
  tokens: Pick<TokenStore, "get">;
};

/**
 * /admin/presence: an open page of an entry says so, and learns who else has it open and who changed it last. It writes no
 * event, and whoever reads the entry may call it. Contract, part three, §19, The desk.
 */
export function presenceRoutes({ presence, staged, events, people, tokens }: Ports, sessions: Sessions): Route[] {
  return [
    route({
      method: "POST",
      url: "/admin/presence",
      summary: "Say that the entry is open, and ask who else has it open and who changed it last",
      need: manages("entries"),
      arguments: { id: slug("The entry.") },
      problems: ["entry_not_found", "path_invalid", "csrf_invalid"],
      handle: async ({ headers, credentials, nowSeconds }, { id }) => {
        const session = credentials?.session;
        if (session === undefined) throw problem("scope_missing", { needed: "a session of the admin page" });
        sessions.refuseForged(headers);
        const found = await staged.find(id);
        if (!found) throw problem("entry_not_found", { id });
        const { revision, stagedRevision } = found.entry;
        const [actors, change] = await Promise.all([
          presence.note({ slug: id, session, nowSeconds }),
          eventAt(events, Math.max(revision, stagedRevision ?? 0)),
        ]);
        const names = await namesOf(change ? [...actors, change.actor] : actors, people, tokens);
        const shown = (actor: string) => ({ actor, name: names.get(actor) ?? "" });
        const state = {
          people: actors.map(shown),
          tag: `"${stagedTag(found.entry)}"`,
          changed: change ? { at: change.atSeconds, kind: change.kind, ...shown(change.actor) } : null,
        };
        return data(JSON.stringify(state), { cacheControl: "no-store" });
      },
    }),
  ];
}

/** The event with this sequence; undefined for one that is no longer kept. */
async function eventAt(events: Pick<EventStore, "list">, sequence: number): Promise<Event | undefined> {
  const [event] = await events.list(sequence - 1, 1);
  return event?.sequence === sequence ? event : undefined;
}

/** The names of people and the labels of tokens. */
async function namesOf(
  actors: readonly string[],
  people: Ports["people"],
  tokens: Ports["tokens"],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  for (const actor of new Set(actors)) {
    if (personIdOf(actor) === undefined) labels.set(actor, await labelOf(tokens, actor));
  }
  return new Map([...labels, ...(await people.namesOf(actors))]);
}

/** Empty for one that was revoked, and for the service itself. */
async function labelOf(tokens: Ports["tokens"], id: string): Promise<string> {
  try {
    return (await tokens.get(id)).label;
  } catch (error) {
    if (isProblem(error, "token_not_found")) return "";
    throw error;
  }
}
