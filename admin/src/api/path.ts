/** Slugs of entries and paths of folders and files: names with slashes between. */

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const joinPath = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** The paths above one, the topmost first. */
export const ancestorsOf = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((_, i) => path.split("/", i + 1).join("/"));
