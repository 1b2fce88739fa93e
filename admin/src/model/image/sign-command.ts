import { renditionUrl } from "./address.ts";
import type { Values } from "./arguments.ts";

/** The command that signs the URL of an image, quoted for a POSIX shell: file names are untrusted. */
export function signCommand(path: string, values: Values): string {
  const args = renditionUrl("", values).split("?")[1];
  const option = args === undefined ? "" : ` --args ${quote(args)}`;
  return `npx octavo sign${option} ${path.startsWith("-") ? "-- " : ""}${quote(path)}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
