import { request } from "./request.ts";

export type Event = {
  sequence: number;
  at: number;
  kind: string;
  subject: string;
  target: string | null;
  count: number;
  actor: string;
};

export const eventsPage = 50;

/** The newest events, or those before a sequence; newest first. */
export const listEvents = async (before?: number): Promise<Event[]> =>
  (await request<Event[]>("GET", "/api/events", { query: { newest: true, before, limit: eventsPage } })).data;
