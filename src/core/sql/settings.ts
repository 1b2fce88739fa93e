import { bytes, choice, integer, list, text } from "../lib/setting.ts";
import { GiB, MiB } from "../lib/size.ts";

/** The settings of the store. */

/** Storage. */
export const storageSettings = {
  data: text({
    default: "./data",
    accepted: "a folder",
    help: "Folder of the store; created when it is missing.",
  }),
  new_store: choice(["on", "off"], {
    default: "off",
    help: "Whether an empty store is created where the database is missing beside the bytes of files; `octavo serve --new` does so for one start.",
  }),
  postgres_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "PostgreSQL database (14 or newer, UTF8) used instead of SQLite, by any number of nodes.",
  }),
  postgres_read_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "Read replica of that database for the collections of delivery tokens; these lag as far behind as the replica.",
  }),
  postgres_connections: integer({
    default: 8,
    min: 1,
    max: 1000,
    help: "Connections of one node for collections; three more are used for everything else.",
  }),
  postgres_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Statement timeout, and the time a write waits for writes of other nodes; then 503 `busy`.",
  }),
  busy_timeout_ms: integer({
    default: 5000,
    min: 0,
    max: 60_000,
    unit: "milliseconds",
    help: "Time a write waits for another process that is writing; then 503 `busy`.",
  }),
  write_queue_max: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Maximum number of waiting writes; further ones are refused with 503 `busy`.",
  }),
  entry_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Size of the cache of recently read entries; 0 disables it.",
  }),
  blob_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Size of the cache of recently downloaded small files; 0 disables it.",
  }),
  index_keys: list({
    default: ["*"],
    isItem: (item) => /^(\*|-?[^\s,-][^,]*)$/.test(item),
    accepted: "*, or keys as year,author.name, or keys with - to leave out, separated by commas",
    help: "Keys of entries, and of the meta of files, in the field index. Conditions on other keys still work, by a scan.",
  }),
  text_index: choice(["on", "off"], {
    default: "on",
    help: "Whether the texts of entries are indexed for `contains`, `like`, `ends_with` and `search`, which otherwise scan.",
  }),
  events_keep_days: integer({
    default: 30,
    min: 1,
    max: 3650,
    unit: "days",
    help: "Retention of the event log. Events that the uploads tree has not handled are kept at most twice as long.",
  }),
  history_keep_rows: integer({
    default: 100,
    min: 0,
    max: 10_000,
    help: "Earlier states that are kept of each entry, file and registry item; 0 keeps no history.",
  }),
  history_keep_days: integer({
    default: 365,
    min: 0,
    max: 36_500,
    unit: "days",
    help: "Retention of earlier states; 0 keeps no history.",
  }),
  history_keep_bytes: bytes({
    default: 16 * MiB,
    min: 0,
    max: 1024 * GiB,
    help: "Size of the earlier states that are kept of each entry, file and registry item, with the bytes of files; the newest state is kept whatever its size is; 0 keeps no history.",
  }),
  trash_keep_days: integer({
    default: 30,
    min: 0,
    max: 3650,
    unit: "days",
    help: "How long deleted entries, folders and files stay in the trash; 0 deletes them for good.",
  }),

  uploads_tree: choice(["on", "off"], {
    default: "on",
    help: "Whether the folder uploads/ of the store shows every file under its path, as hard links to the bytes.",
  }),
  blob_grace_days: integer({
    default: 7,
    min: 1,
    max: 3650,
    unit: "days",
    help: "Time the bytes of a deleted or replaced file are kept.",
  }),
};
