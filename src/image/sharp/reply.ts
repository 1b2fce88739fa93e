/**
 * Why a job has no result. `timeout`, `memory`: its process was killed because the job exceeded a limit; `starved`: the
 * machine was too busy to start its process or to give it that much time; `crashed`: its process died, or sent an
 * invalid reply; `unstarted`: its process ended by an error before it could take its first job; `refused`: render() threw, `code` is the error's own, or "internal". `detail` is for the log: it may
 * hold paths and the end of the process's stderr.
 */
export class RenderFailure extends Error {
  readonly kind: "timeout" | "starved" | "crashed" | "unstarted" | "memory" | "refused";
  readonly detail: string;
  readonly code: string | undefined;
  constructor(kind: RenderFailure["kind"], detail: string, code?: string) {
    super(`rendering failed (${kind}): ${detail}`);
    this.kind = kind;
    this.detail = detail;
    this.code = code;
  }
}

export type Refusal = { code: string; message: string };

/** A message of a process: it began a job, how the job ended, or only how much memory it holds. */
export type Reply = {
  id?: number;
  isBegun?: true;
  value?: unknown;
  error?: Refusal;
  rss?: number;
};

/** The error that a process sent. Nothing in a message is trusted: converting a non-text to text can throw. */
export function toFailure({ code, message }: Partial<Record<keyof Refusal, unknown>>): RenderFailure {
  const text = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);
  return new RenderFailure("refused", text(message, "the error has no reason"), text(code, "internal"));
}

/** Parses a line as a reply; undefined when it is none. Its members can still be anything. */
export function parseReply(line: string): Reply | undefined {
  try {
    const reply: unknown = JSON.parse(line);
    return typeof reply === "object" && reply !== null ? (reply as Reply) : undefined;
  } catch {
    return undefined;
  }
}
