import { createClient, type ImageArguments } from "../../../../client/src/client.ts";
import { octavo } from "../../api/octavo.ts";
import type { Values } from "./arguments.ts";

/** The URL of a rendition with user-defined arguments; the service checks them. */
export const renditionUrl = (path: string, values: Values): string => octavo.imageUrl(path, values as ImageArguments);

/** The same URL for a website. */
export const publicUrl = (path: string, values: Values): string =>
  createClient({ url: location.origin, imagesToken: "IMAGES_TOKEN" }).imageUrl(path, values as ImageArguments);
