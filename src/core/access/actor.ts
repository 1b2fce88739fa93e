/** Who writes, as the log names it: the id of a token, a person, or the service itself. */

const actorPrefix = "person:";

/** What the log names a person. */
export const personActor = (id: string): string => actorPrefix + id;

/** The person's id in an actor; undefined for a token and the service. */
export const personIdOf = (actor: string): string | undefined =>
  actor.startsWith(actorPrefix) ? actor.slice(actorPrefix.length) : undefined;
