import { formatJson, type Json, NumberText } from "../core/lib/json.ts";
import { parseTime } from "../core/lib/time.ts";
import { nameOf, type Path } from "../core/path.ts";
import { type File, fileFields, refuseTooLarge } from "../file/file.ts";
import { splitName } from "../file/name.ts";
import { yamlFields } from "./import-entry.ts";

/** The metadata of a file as an import reads it. */

export type FileMeta = { title: string; description: string; meta: string; uploadedAt: number; statesTime: boolean };

/** The metadata of a file. Throws NotImported. */
export function readMeta(
  bytes: Uint8Array | undefined,
  path: Path,
  modifiedSeconds: number,
  nowSeconds: number,
): FileMeta {
  const fields = bytes ? yamlFields(bytes, "its metadata") : new Map();
  const { title, description, uploaded_on: uploaded } = Object.fromEntries(fields);
  const stated = typeof uploaded === "string" || typeof uploaded === "number" ? parseTime(uploaded) : undefined;
  const meta = formatJson(new Map([...fields].filter(([key]) => !fileFields.has(key))));
  refuseTooLarge("meta", meta);
  return {
    title: textOf(title) ?? splitName(nameOf(path)).basename,
    description: textOf(description) ?? "",
    meta,
    uploadedAt: Math.min(Math.max(stated ?? modifiedSeconds, 0), nowSeconds),
    statesTime: stated !== undefined,
  };
}

/** Whether the file has what the metadata say; a time that they do not state is not compared. */
export const hasSameFields = (file: File, { title, description, meta, uploadedAt, statesTime }: FileMeta): boolean =>
  file.title === title &&
  file.description === description &&
  file.meta === meta &&
  (!statesTime || file.uploadedAt === uploadedAt);

/** A text, or a number or word that was written without quotes, such as the title 2020. */
const textOf = (value: Json | undefined): string | undefined => {
  if (typeof value === "string") return value;
  return value === undefined || value === null || (typeof value === "object" && !(value instanceof NumberText))
    ? undefined
    : formatJson(value);
};
