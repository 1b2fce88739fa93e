import { Problem } from "../../src/core/problem.ts";

/** The code of a refusal, or ok. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    if (typeof error === "string") return error;
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
