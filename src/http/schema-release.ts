import { releaseStates } from "../domain/release.ts";
import { Type } from "../lib/json-schema.ts";
import { actorName, oneOf, time, writer } from "./schema.ts";

/** The objects of releases on the wire. */

export const releaseObject = Type.Object(
  {
    id: Type.String({ description: "Made by the service." }),
    title: Type.String({ description: "What people call it." }),
    state: oneOf(
      releaseStates,
      "`failed`: its time came, and it was refused; it may be corrected and published again.",
    ),
    at: Type.Optional(
      Type.Integer({ description: "When it is published, or was, in Unix seconds; absent where it has no time." }),
    ),
    count: Type.Integer({ description: "The number of its entries, of those that the token may see." }),
    created_at: time("When it was made."),
    created_by: writer("made it"),
    created_by_name: actorName,
  },
  { $id: "Release", description: "A set of working copies and drafts that go live together." },
);

export const releaseOrList = Type.Union([
  releaseObject,
  Type.Array(releaseObject, { description: "Releases, newest first." }),
]);
