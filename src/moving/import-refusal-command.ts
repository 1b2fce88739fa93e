import { Refusal } from "../cli/refusal.ts";
import { NotImported } from "./import-entry.ts";

/** What an import makes of refusals of the API. */

/** Refusals that every other thing would meet, too: they end an import. */
const endings = /^(?:busy|storage_full|store_damaged|internal|too_many_|call_limit|token_|access_token_|scope_)/;

/** Throws NotImported for what is refused of one thing. */
export function refused(error: unknown): never {
  if (!(error instanceof Refusal) || error.code === undefined || endings.test(error.code)) throw error;
  throw notImported(error);
}

export const notImported = ({ message, code }: Refusal): NotImported =>
  new NotImported(message.replace(/\n */g, "; "), code);
