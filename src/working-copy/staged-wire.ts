import { actorName, oneOf, time, writer } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { releaseStates } from "./release.ts";

/** The objects of working copies and of releases on the wire. */

export const stagedRow = Type.Object(
  {
    id: Type.String({ description: "The entry." }),
    title: Type.String({ description: "Its field `title` with the copy laid over, if that is a text." }),
    revision: Type.Integer({ description: "The event that changed the working copy last." }),
    staged_at: time("When it was changed last."),
    staged_by: writer("changed it last"),
    staged_by_name: actorName,
    publish_at: Type.Union([Type.Integer(), Type.Null()], {
      description: "When it is published, in Unix seconds; null when that is not scheduled.",
    }),
    outdated: Type.Array(Type.String(), {
      description: "The keys that were changed live since they were staged: publishing puts them back.",
    }),
    locale: Type.Optional(Type.String({ description: "Of a translation; absent for the source." })),
    release: Type.Optional(Type.String({ description: "The release that it goes live with; absent without one." })),
  },
  { $id: "StagedRow", description: "An entry that has a working copy." },
);

const outdatedValue = (description: string) => Type.Optional(Type.Unknown({ description }));

export const outdatedKey = Type.Object(
  {
    key: Type.String({ description: "A key of the client's data, or a field of the service." }),
    revision: Type.Union([Type.Integer(), Type.Null()], {
      description: "The content that it was staged on; null when the history has that no longer.",
    }),
    base: outdatedValue("Its value when it was staged; absent when there was none, or `revision` is null."),
    live: outdatedValue("Its value now; absent when it was removed."),
    staged: outdatedValue("Its value in the working copy; absent when that removes it."),
  },
  { $id: "OutdatedKey", description: "A key of a working copy that was changed live since it was staged." },
);

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

export const releaseOrList = Type.Union(
  [releaseObject, Type.Array(releaseObject, { description: "Releases, newest first." })],
  { description: "With `id` that release, otherwise a list." },
);
