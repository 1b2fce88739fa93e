import type { Stores } from "../stores.ts";

/** Files that lay in uploads/ and that the service did not make, as commands tell of them. */
export type Unknown = { count: number; folder: string };

export async function unknownOf({ unknownUploads }: Stores): Promise<Unknown> {
  return { count: await unknownUploads.count(), folder: unknownUploads.folder };
}

/** As `--json` shows them; nothing where there are none. */
export const unknownFields = ({ count, folder }: Unknown): object =>
  count === 0 ? {} : { unknown_uploads: count, unknown_uploads_folder: folder };

/** The same as a line of text. */
export function formatUnknown({ count, folder }: Unknown): string[] {
  if (count === 0) return [];
  const [what, it] =
    count === 1
      ? ["1 file that Octavo did not make lies", "it"]
      : [`${count} files that Octavo did not make lie`, "them"];
  return [`${what} in ${folder}; octavo uploads adopt takes ${it} in as uploads.`];
}
