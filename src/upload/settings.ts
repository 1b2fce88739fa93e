import { standardExtensions } from "../core/bytes/media-type.ts";
import { bytes, choice, integer, list } from "../core/lib/setting.ts";
import { GiB, KiB, MiB } from "../core/lib/size.ts";
import { conflictPolicies } from "../file/file.ts";

/** The settings of uploads. */

/** Uploads. */
export const uploadSettings = {
  upload_max_bytes: bytes({
    default: 100 * MiB,
    min: 1,
    max: 1024 * GiB,
    help: "Maximum size of an uploaded file.",
  }),
  upload_types: list({
    default: standardExtensions,
    isItem: (item) => /^[a-z0-9]{1,50}$/.test(item),
    accepted: "extensions in lower case without dots, separated by commas",
    help: "Accepted extensions of files. The bytes must match the extension.",
  }),
  upload_safe_names: choice(["on", "off"], {
    default: "on",
    help: "Whether file names are reduced to lower-case ASCII letters, digits and hyphens.",
  }),
  upload_on_conflict: choice(conflictPolicies, {
    default: "replace",
    help: "Default of on_conflict: what an upload does when its name is taken. `replace` here is the file of the same name; another name that becomes the same gets a number.",
  }),
  upload_corrupt_images: choice(["accept", "refuse"], {
    default: "accept",
    help: "Whether images whose header cannot be read are accepted, without their sizes.",
  }),
  image_max_pixels: integer({
    default: 100_000_000,
    min: 1,
    max: 1_000_000_000,
    unit: "pixels",
    help: "Maximum width times height of an uploaded image.",
  }),
  upload_idle_seconds: integer({
    default: 30,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "Read timeout of uploads.",
  }),
  upload_keep_hours: integer({
    default: 24,
    min: 1,
    max: 8760,
    unit: "hours",
    help: "How long an upload that was interrupted can go on. Later what came of it is removed.",
  }),
  upload_spools: integer({
    default: 8,
    min: 0,
    max: 10_000,
    help: "Maximum number of concurrent uploads whose tokens follow the file; further ones are refused with 503 `busy`.",
  }),
  upload_spool_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * GiB,
    help: "Disk space for uploads whose tokens follow the file, all together.",
  }),
  upload_spool_rate_bytes: bytes({
    default: 16 * KiB,
    min: 0,
    max: GiB,
    help: "Minimum rate of an upload whose tokens follow the file. One that is upload_idle_seconds behind is given up; one that is three seconds behind makes room for another.",
  }),
  upload_spool_seconds: integer({
    default: 7200,
    min: 1,
    max: 86_400,
    unit: "seconds",
    help: "Time limit of an upload whose tokens follow the file.",
  }),
};
