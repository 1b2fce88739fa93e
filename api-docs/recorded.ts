import { readFileSync } from "node:fs";
import { bodyOf, type Said } from "../src/core/http/problem.ts";
import type { Code } from "../src/core/problem.ts";
import { unprovoked } from "./refusal.ts";

/**
 * docs/examples.json: the recorded replies to the examples of the routes. Written by `npm run docs`; times, ids,
 * secrets and addresses in it are placeholders. test/http/example.test.ts compares it with the running service.
 */

/** A reply to one example. `body` is absent where it is not JSON. */
export type RecordedReply = { status: number; type?: string; headers?: Record<string, string>; body?: unknown };
export type RecordedRefusal = { detail: string; errors?: Said["errors"] };
/** The replies of one route: to its examples in their order, and its refusals by code. */
export type Recorded = { replies: RecordedReply[]; refusals: Partial<Record<Code, RecordedRefusal>> };
/** By `GET /api/entries`. */
export type Recording = Record<string, Recorded>;

export const recordingFile = new URL("../docs/examples.json", import.meta.url);
/** The request id in every problem of the reference. */
const sampleRequestId = "k3v9q11";

/** Reads the recording; empty where the file does not exist yet. */
export function readRecording(): Recording {
  try {
    return JSON.parse(readFileSync(recordingFile, "utf8")) as Recording;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** The body of a problem in the reference: recorded, or a sample. */
export function shownProblem(code: Code, recorded: RecordedRefusal | undefined): object | undefined {
  const sample = unprovoked[code];
  const said = recorded
    ? { errors: [], ...recorded }
    : sample && { detail: sample.detail, errors: sample.faults ?? sample.errors, references: sample.references };
  return said && JSON.parse(bodyOf(code, said, sampleRequestId));
}
