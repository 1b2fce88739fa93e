/**
 * The path of a file beside a module, by its name without extension: TypeScript in a checkout, JavaScript in the
 * compiled package. `moduleUrl` is the module's own import.meta.url.
 */
export const siblingFile = (moduleUrl: string, name: string): URL =>
  new URL(`./${name}${moduleUrl.endsWith(".ts") ? ".ts" : ".js"}`, moduleUrl);

const unloadable =
  /\b(MODULE_NOT_FOUND|ERR_(MODULE_NOT_FOUND|UNKNOWN_FILE_EXTENSION|UNSUPPORTED_\w+|DLOPEN_FAILED))\b|^SyntaxError/m;

/** Whether a thread, or a process whose stderr is in the message, ended because its code cannot be loaded: the next will, too. */
export const isUnloadable = (error: Error & { code?: unknown }): boolean =>
  unloadable.test(`${error.name}\n${error.code}\n${error.message}`);
