import { createContext, useContext } from "react";
import { may, type Session, writesIn, writesLive } from "./api/session.ts";
import type { Resource } from "./api/token.ts";

/** The current session, for all components below the shell. */
export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("outside of a session");
  return session;
}

/** Whether the session's token has the resource. */
export const useMay = (resource: Resource): boolean => may(useSession(), resource);

/**
 * Whether the session writes in the locale, or without one what all languages share, and the source: drafts and working copies,
 * or what is live.
 */
export const useWrites = (locale?: string): boolean => writesIn(useSession(), locale);

/**
 * Whether the session's token may change what is live, in the locale or of the source; otherwise it creates drafts and changes
 * working copies.
 */
export const useWritesLive = (locale?: string): boolean => writesLive(useSession(), locale);
