import { decode, NotImported } from "./import-entry.ts";

/** A folder that is imported, and where its parts are. Decision 56. */

/** What a folder holds. `path` is relative to the project, with slashes. */
export type Found = { readonly path: string } & (
  | { readonly kind: "file"; readonly size: number; readonly modifiedSeconds: number }
  | { readonly kind: "folder" }
  /** What is never read, and why. */
  | { readonly kind: "other"; readonly why: string }
);

/** Why a file is not read. */
export class UnreadableFile extends Error {}

/** Reads nothing outside the folder and follows no link. */
export interface Project {
  /** All below the folder, sorted by name, a folder before its contents. Does not go into folders that `enters` refuses. */
  walk(folder: string, enters: (path: string) => boolean): Iterable<Found>;
  /** Undefined for what is neither, or missing. */
  kindOf(path: string): "file" | "folder" | undefined;
  /** The whole file. Throws UnreadableFile. */
  read(path: string, maxBytes: number): Uint8Array;
  /** The file's bytes. Throws UnreadableFile. */
  open(path: string): AsyncIterable<Uint8Array>;
}

/** The export that wrote a project; its names are escaped. */
export const exportMarker = "octavo-export.json";

/** `top` is empty or ends with a slash. */
export type Layout = {
  readonly kind: "export" | "project" | "markdown";
  readonly top: string;
};

/** Folders of a project that are imported. Up to 0.9.12 uploads were in `uploads`, then in `media`. */
export const uploadFolders: readonly (readonly [folder: string, to: string])[] = [
  ["uploads", ""],
  ["media", ""],
  ["watermarks", "watermarks"],
];

/**
 * The layout: a site with a folder `project`, that folder itself, or any folder of Markdown files. A folder with Markdown
 * files at its top is no project, even with a folder `entries`.
 */
export function layoutOf(project: Project): Layout {
  for (const top of ["project/", ""]) {
    if (project.kindOf(`${top}${exportMarker}`) === "file") return { kind: "export", top };
    const parts = ["entries", "tokens", ...uploadFolders.map(([folder]) => folder)];
    const isOne = parts.some((part) => project.kindOf(top + part) === "folder");
    if (isOne && (top !== "" || !hasMarkdown(project))) return { kind: "project", top };
  }
  return { kind: "markdown", top: "" };
}

function hasMarkdown(project: Project): boolean {
  for (const { path, kind } of project.walk("", () => false))
    if (kind === "file" && markdownName.test(path)) return true;
  return false;
}

const markdownName = /\.(?:md|markdown)$/i;
const entryName = /^entry\.(md|yaml|yml|json)$/;
/** The first that is there is the entry: the original reads entry.md unless it is configured otherwise. */
const entryForms = ["md", "yaml", "yml", "json"];

/** The file beside this one that is the entry in its place. */
export function otherForm(project: Project, path: string, extension: string): string | undefined {
  if (!entryName.test(path.slice(path.lastIndexOf("/") + 1))) return undefined;
  const stem = path.slice(0, -extension.length);
  return entryForms
    .slice(0, entryForms.indexOf(extension))
    .map((form) => stem + form)
    .find((other) => project.kindOf(other) === "file");
}

/** The entry of a file: its path, not validated, and the form of the file; undefined for other files. */
export function entryPlace(path: string, kind: Layout["kind"]): { id: string; extension: string } | undefined {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  const extension = entryName.exec(name)?.[1];
  if (extension) return { id: folder, extension };
  if (kind !== "markdown" || !markdownName.test(name)) return undefined;
  const stem = name.replace(markdownName, "");
  // The page of a folder, as static site generators name it.
  const isIndex = /^_?index$/i.test(stem);
  const id = isIndex ? folder || "index" : folder === "" ? stem : `${folder}/${stem}`;
  return { id, extension: "md" };
}

/** Throws NotImported for an export that was interrupted, or is of another version. */
export function refuseUnfinished(project: Project, { kind, top }: Layout): void {
  if (kind !== "export") return;
  try {
    const marker: unknown = JSON.parse(decode(project.read(`${top}${exportMarker}`, 10_000)));
    const { format, complete } = Object(marker) as { format?: unknown; complete?: unknown };
    if (format !== 1) throw new NotImported(`the format of its ${exportMarker} is not 1`);
    if (complete !== true) throw new NotImported("its export was interrupted: run octavo export again");
  } catch (error) {
    if (error instanceof SyntaxError) throw new NotImported(`its ${exportMarker} is no JSON`);
    throw error;
  }
}
