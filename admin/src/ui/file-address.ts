import { nameOf, parentOf } from "../api/path.ts";
import { addressOf } from "./location.tsx";

/** The URL of a file: its folder, with the file open. */
export const fileAddress = (path: string): string => addressOf("files", parentOf(path), { file: nameOf(path) });
