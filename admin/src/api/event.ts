import type { LogEvent } from "../../../client/src/api.ts";
import { request } from "./request.ts";

export const eventsPage = 50;

/** The newest events, or those before a sequence; newest first. */
export const listEvents = async (limit: number, before?: number): Promise<LogEvent[]> =>
  (await request<LogEvent[]>("GET", "/api/events", { query: { newest: true, before, limit } })).data;
