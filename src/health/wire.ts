import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";

export const statsObject = Type.Object(
  {
    version: Type.String({ description: "Version of Octavo." }),
    uptime_seconds: Type.Integer({ description: "Uptime of the process in seconds." }),
    entries: Type.Optional(Type.Integer({ description: "Number of entries, including drafts." })),
    folders: Type.Optional(Type.Integer({ description: "Number of folders." })),
    files: Type.Optional(Type.Integer({ description: "Number of files." })),
    blob_bytes: Type.Optional(Type.Integer({ description: "Bytes of all files; equal files count once." })),
    renditions: Type.Integer({ description: "Number of cached images." }),
    rendition_bytes: Type.Integer({ description: "Bytes of the cached images." }),
    history_rows: Type.Optional(Type.Integer({ description: "Number of earlier contents that are kept." })),
    history_bytes: Type.Optional(Type.Integer({ description: "Their size, with the bytes of files." })),
    trash_items: Type.Optional(Type.Integer({ description: "Number of items in the trash." })),
    trash_bytes: Type.Optional(Type.Integer({ description: "Their size." })),
    registry_items: Type.Optional(
      Type.Integer({ description: "Number of registry items, without the built-in ones." }),
    ),
    tokens: Type.Optional(Type.Integer({ description: "Number of tokens, including disabled ones." })),
    webhooks_failed: Type.Optional(
      Type.Integer({ description: "Number of webhooks that failed, and stay so until they are switched on." }),
    ),
    unknown_uploads: Type.Integer({
      description:
        "Number of files in `uploads.unknown/` of the data folder: moved there from `uploads/`, since the service did not " +
        "create them.",
    }),
    store_bytes: Type.Integer({ description: "Size of the database on the disk." }),
    memory_bytes: Type.Integer({ description: "Resident memory of the process." }),
    store_state: oneOf(["ok", "damaged"], "`damaged` refuses all writes."),
    store_faults: Type.String({ description: 'The damage that was found, one fault per line; "" for none.' }),
    store_checked_at: Type.Optional(
      Type.Integer({
        description:
          "When this process last checked the whole database file, in Unix seconds; 0 for never, absent on PostgreSQL.",
      }),
    ),
    clock_behind_seconds: Type.Optional(
      Type.Integer({ description: "Seconds by which the newest event is ahead of the clock; 0 if it is not." }),
    ),
    future_entries: Type.Optional(
      Type.Integer({
        description: "Number of entries not visible yet because the clock was ahead when they were created.",
      }),
    ),
  },
  { $id: "Stats", description: "Statistics of the running service." },
);
