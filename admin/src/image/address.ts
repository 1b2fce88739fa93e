import { createClient, type ImageArguments } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import type { Values } from "./arguments.ts";

/** The address of a rendition by arguments that somebody chose; the service checks them. */
export const renditionUrl = (path: string, values: Values): string => octavo.imageUrl(path, values as ImageArguments);

/** The same as a website would read it. */
export const publicUrl = (path: string, values: Values): string =>
  createClient({ url: location.origin, imagesToken: "IMAGES_TOKEN" }).imageUrl(path, values as ImageArguments);
