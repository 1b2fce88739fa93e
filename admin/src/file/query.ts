import { refresh } from "../ui/query.ts";

/** Reads folders and files anew. */
export const rereadFiles = (): Promise<unknown> => refresh("files", "folders", "file");
