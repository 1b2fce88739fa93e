import { formatJson, type Json, NumberText } from "../core/lib/json.ts";
import { parseTime } from "../core/lib/time.ts";
import { nameOf, type Path, parentOf } from "../core/path.ts";
import { type File, fileFields, refuseTooLarge } from "../file/file.ts";
import { isNumberedOf, sentNameOf, splitName, uploadName } from "../file/name.ts";
import { sentNameKey } from "./export.ts";
import { yamlFields } from "./import-entry.ts";
import type { Layout } from "./moving.ts";

/** The metadata of a file as an import reads it. */

export type FileMeta = {
  title: string;
  description: string;
  meta: string;
  uploadedAt: number;
  statesTime: boolean;
  /** The name under which the file was sent, where the metadata state one. */
  sentName: string | undefined;
};

/** The metadata of a file. Throws NotImported. */
export function readMeta(
  bytes: Uint8Array | undefined,
  path: Path,
  modifiedSeconds: number,
  nowSeconds: number,
  layout: Layout["kind"],
): FileMeta {
  const fields = bytes ? yamlFields(bytes, "its metadata") : new Map();
  const { title, description, uploaded_on: uploaded } = Object.fromEntries(fields);
  const stated = typeof uploaded === "string" || typeof uploaded === "number" ? parseTime(uploaded) : undefined;
  // Elsewhere it is a field of the client.
  const nameKey = layout !== "export" ? undefined : fields.has(sentNameKey) ? sentNameKey : "sent_name";
  const isOwn = (key: string) => !fileFields.has(key) && key !== nameKey;
  const meta = formatJson(new Map([...fields].filter(([key]) => isOwn(key))));
  const sent = textOf(fields.get(nameKey ?? ""));
  refuseTooLarge("meta", meta);
  return {
    title: textOf(title) ?? splitName(nameOf(path)).basename,
    description: textOf(description) ?? "",
    meta,
    uploadedAt: Math.min(Math.max(stated ?? modifiedSeconds, 0), nowSeconds),
    statesTime: stated !== undefined,
    sentName: sent === undefined ? undefined : sentNameOf(sent),
  };
}

/**
 * What a file is stored with. The name that it was sent under, and the one that it got then, are of an export as its
 * metadata say, of other folders the one that it has there.
 */
export async function storedWith(
  { title, description, meta, uploadedAt, sentName }: FileMeta,
  path: Path,
  layout: Layout["kind"],
  hasSafeNames: boolean,
) {
  const name = nameOf(path);
  const fields = { folder: parentOf(path), title, description, meta, uploadedAt };
  if (layout !== "export") return { ...fields, sentName: sentNameOf(name), givenName: name };
  const isGiven = sentName !== undefined && isNumberedOf(name, await uploadName(sentName, hasSafeNames));
  return { ...fields, sentName, givenName: isGiven ? name : null };
}

/** What is compared of a file that is there; a time is absent where an import cannot set it. */
export type PresentFields = Pick<File, "title" | "description" | "meta" | "sentName"> & {
  readonly uploadedAt?: number;
};

/** Whether the file has what the metadata say; a time and a name that they do not state are not compared. */
export const hasSameFields = (
  file: PresentFields,
  { title, description, meta, uploadedAt, statesTime, sentName }: FileMeta,
): boolean =>
  file.title === title &&
  file.description === description &&
  file.meta === meta &&
  (!statesTime || file.uploadedAt === undefined || file.uploadedAt === uploadedAt) &&
  (sentName === undefined || file.sentName === sentName);

/** A text, or a number or word that was written without quotes, such as the title 2020. */
const textOf = (value: Json | undefined): string | undefined => {
  if (typeof value === "string") return value;
  return value === undefined || value === null || (typeof value === "object" && !(value instanceof NumberText))
    ? undefined
    : formatJson(value);
};
