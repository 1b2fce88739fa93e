import { createRequire } from "node:module";

/** The version in package.json. */
export const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
