import type { Slug } from "../core/path.ts";
import type { Session } from "./session.ts";

/** A session of the admin page has an entry open. Contract, part three, §19, The desk. */
export type Presence = Readonly<{ slug: Slug; session: Session["id"]; nowSeconds: number }>;

/** How long a session counts as there after its last note; the page notes it each five seconds. */
export const presentSeconds = 10;

/** Where it is stored who has which entry open: rows without events, which the next note removes when they are old. */
export interface PresenceStore {
  /**
   * Notes that the session has the entry open, whether or not there is such an entry. Answers the actors of the other live
   * sessions that had it open within `presentSeconds`, on any node, each once, in the order of their ids.
   */
  note(presence: Presence): Promise<string[]>;
}
