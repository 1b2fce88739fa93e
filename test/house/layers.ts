/** Which layer of the service a file is of: the rooms of docs/ARCHITECTURE.md. */

/** The layers of a feature by the last word of a file's name; its folders are of adapters to one technology each. */
const kindOfWord: Record<string, string> = {
  routes: "routes",
  wire: "routes",
  store: "store",
  rows: "rows",
  "row-rules": "row-rules",
  command: "command",
  docs: "docs",
  service: "service",
  feature: "feature",
};

/** Folders of features that are no adapters: the forms of files and of what others are asked, without what reads or asks. */
const formats = ["xliff", "mirror"];

/** The folder below src/; "top" for the files beside them. */
export const roomOf = (file: string): string => {
  const [, room = "", ...rest] = file.split("/");
  return rest.length === 0 ? "top" : room;
};

/** What a file is: a part of the core, a layer of a feature, `cli`, or `top`. */
export function kindOf(file: string): string {
  if (file.startsWith("api-docs/")) return "api-docs";
  const room = roomOf(file);
  const [, , part = "", ...deeper] = file.split("/");
  if (room === "threads") return "top";
  if (room === "top" || room === "cli") return room;
  if (room === "core")
    return deeper.length === 0 ? "core" : deeper.length === 1 ? `core/${part}` : `core/${part}/${deeper[0]}`;
  if (deeper.length > 0) return formats.includes(part) ? "rules" : "store";
  const name = part.replace(/\.ts$/, "");
  const word = Object.keys(kindOfWord).find((one) => name === one || name.endsWith(`-${one}`));
  return word ? (kindOfWord[word] as string) : "rules";
}
