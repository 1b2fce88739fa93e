import type { Stores } from "../stores.ts";

/** The number and the folder of files in uploads/ that the service did not create and moved away. */
export type Unknown = { count: number; folder: string };

export async function unknownOf({ unknownUploads }: Stores): Promise<Unknown> {
  return { count: await unknownUploads.count(), folder: unknownUploads.folder };
}

/** The fields of `--json`; none when there are no such files. */
export const unknownFields = ({ count, folder }: Unknown): object =>
  count === 0 ? {} : { unknown_uploads: count, unknown_uploads_folder: folder };

/** The line of text; none when there are no such files. */
export function formatUnknown({ count, folder }: Unknown): string[] {
  if (count === 0) return [];
  const [what, it] =
    count === 1
      ? ["1 file that Octavo did not create is", "it"]
      : [`${count} files that Octavo did not create are`, "them"];
  return [`${what} in ${folder}; octavo uploads adopt takes ${it} in as uploads.`];
}
