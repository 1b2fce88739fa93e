/**
 * The path of a file beside a module, by its name without extension: TypeScript in a checkout, JavaScript in the
 * compiled package. `moduleUrl` is the module's own import.meta.url.
 */
export const siblingFile = (moduleUrl: string, name: string): URL =>
  new URL(`./${name}${moduleUrl.endsWith(".ts") ? ".ts" : ".js"}`, moduleUrl);
