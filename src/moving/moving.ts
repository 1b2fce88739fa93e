/**
 * The room of content that moves in and out as files: import.ts and what it is made of, export.ts with its names, adopt.ts.
 * Here: the folder that is imported, and where its parts are. Decision 56.
 */

/** What a folder holds. `path` is relative to the project, with slashes. */
export type ProjectItem = { readonly path: string } & (
  | { readonly kind: "file"; readonly size: number; readonly modifiedSeconds: number }
  | { readonly kind: "folder" }
  /** What is never read, and why. */
  | { readonly kind: "other"; readonly why: string }
);
export type FoundFile = ProjectItem & { kind: "file" };

/** Why a file is not read. */
export class UnreadableFile extends Error {}

/** Reads nothing outside the folder and follows no link. */
export interface Project {
  /** All below the folder, sorted by name, a folder before its contents. Does not go into folders that `enters` refuses. */
  walk(folder: string, enters: (path: string) => boolean): Iterable<ProjectItem>;
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

const uploadParts: readonly string[] = uploadFolders.map(([folder]) => folder);
/** Parts of a project of the original that have no place here. */
const otherParts = ["config", "plugins", "themes", "accounts", "fieldsets", "forms", "snippets", "cache"];

export const isImportedPart = (name: string): boolean => ["entries", "tokens", ...uploadParts].includes(name);

/**
 * The layout: a site with a folder `project`, that folder itself, or any folder of Markdown files. What has Markdown files
 * at its top, or elsewhere and no file of an entry or a token, is no project: notes have folders such as `media`, too.
 */
export function layoutOf(project: Project): Layout {
  for (const top of ["project/", ""]) {
    if (project.kindOf(`${top}${exportMarker}`) === "file") return { kind: "export", top };
    const parts = ["entries", "tokens", ...uploadParts];
    const isOne = parts.some((part) => project.kindOf(top + part) === "folder");
    if (isOne && (top !== "" || isBareProject(project))) return { kind: "project", top };
  }
  return { kind: "markdown", top: "" };
}

function isBareProject(project: Project): boolean {
  const ignored = [...uploadParts, ...otherParts];
  if (holds(project, "", markdownName, () => false)) return false;
  return (
    holds(project, "entries", entryName) ||
    holds(project, "tokens", /^token\.yaml$/) ||
    !holds(project, "", markdownName, (path) => !ignored.includes(path) && !isHidden(path))
  );
}

/** True when there is a file of such a name in the folder. */
function holds(project: Project, folder: string, name: RegExp, enters = (_: string): boolean => true): boolean {
  if (folder !== "" && project.kindOf(folder) !== "folder") return false;
  for (const { path, kind } of project.walk(folder, enters))
    if (kind === "file" && name.test(path.slice(path.lastIndexOf("/") + 1))) return true;
  return false;
}

/** Hidden files and folders, and packages: never read in a folder of Markdown. */
export const isHidden = (path: string): boolean => /(?:^|\/)(?:\.[^/]*|node_modules)$/.test(path);

/** An empty file that keeps its folder in a repository, such as `.empty` and `.gitkeep`. */
export const isPlaceholder = (found: ProjectItem): boolean =>
  found.kind === "file" && found.size === 0 && /(?:^|\/)\.[^/]*$/.test(found.path);

const markdownName = /\.(?:md|mdx|markdown|mkd|mkdn|mkdown|mdown)$/i;
const entryName = /^entry\.(md|yaml|yml|json)$/;
/** The first that is there is the entry: the original reads entry.md unless it is configured otherwise. */
const entryForms = ["md", "yaml", "yml", "json"];

/** The file beside this one that is the entry in its place. */
export function otherForm(project: Project, path: string): string | undefined {
  const form = entryName.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  if (form === undefined) return undefined;
  const stem = path.slice(0, -form.length);
  return entryForms
    .slice(0, entryForms.indexOf(form))
    .map((form) => stem + form)
    .find((other) => project.kindOf(other) === "file");
}

/**
 * The entry of a file: its path, not validated and empty for the page of the whole folder, and the form of the file;
 * undefined for other files. `page` is a Markdown file of any generator.
 */
export function entryPlace(path: string, kind: Layout["kind"]): { id: string; extension: string } | undefined {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  const extension = entryName.exec(name)?.[1];
  if (kind !== "markdown") return extension === undefined ? undefined : { id: folder, extension };
  if (extension !== undefined) return { id: folder, extension: extension === "md" ? "page" : extension };
  if (!markdownName.test(name)) return undefined;
  const stem = name.replace(markdownName, "");
  // The page of a folder, as static site generators name it.
  const id = /^_?index$/i.test(stem) ? folder : folder === "" ? stem : `${folder}/${stem}`;
  return { id, extension: "page" };
}
