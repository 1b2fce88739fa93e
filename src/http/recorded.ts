import { readFileSync } from "node:fs";
import type { Code } from "../domain/problem.ts";
import { bodyOf } from "./problem.ts";
import { unprovoked } from "./refusal.ts";
import type { Route } from "./route.ts";

/**
 * docs/examples.json: what the service answered to the examples of its routes. Made by `npm run docs`; times, ids,
 * secrets and addresses in it are sample ones. test/http/example.test.ts holds it to the running service.
 */

/** An answer to one example. `body` is absent where it is no JSON. */
export type RecordedReply = { status: number; type?: string; headers?: Record<string, string>; body?: unknown };
export type RecordedRefusal = { detail: string; errors?: { code: Code; argument?: string; detail: string }[] };
/** What one route answered: to its examples in their order, and its refusals by code. */
export type Recorded = { replies: RecordedReply[]; refusals: Partial<Record<Code, RecordedRefusal>> };
/** By `GET /api/entries`. */
export type Recording = Record<string, Recorded>;

export const recordingFile = new URL("../../docs/examples.json", import.meta.url);
/** The id of the request in every problem that is shown. */
const sampleRequestId = "k3v9q11";

export const routeName = ({ method, url }: Route): string => `${method} ${url}`;

/** What was recorded; nothing where the file is not there yet. */
export function readRecording(): Recording {
  try {
    return JSON.parse(readFileSync(recordingFile, "utf8")) as Recording;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** The body of a problem as the reference shows it: as it was answered, or as it may read. */
export function shownProblem(code: Code, recorded: RecordedRefusal | undefined): object | undefined {
  const said = recorded ? { errors: [], ...recorded } : unprovoked[code];
  return said && JSON.parse(bodyOf(code, said, sampleRequestId));
}
