/**
 * Why a job has no result. `timeout`, `memory`: its process was killed for what the job took; `starved`: the machine was
 * too busy to start its process or to give it that much time; `crashed`: its process died, or said what is no reply; `refused`: render() threw, `code` is the error's own, or "internal". `detail` is for the log: it may hold
 * paths and the end of the process's stderr.
 */
export class RenderFailure extends Error {
  readonly kind: "timeout" | "starved" | "crashed" | "memory" | "refused";
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

/** What a process says: it began a job, how the job ended, or only how much memory it holds. */
export type Reply = {
  id?: number;
  isBegun?: true;
  value?: unknown;
  error?: Refusal;
  rss?: number;
};

/** What a process refused with. Nothing that a process says is taken on trust: making text of what is none can throw. */
export function toFailure({ code, message }: Partial<Record<keyof Refusal, unknown>>): RenderFailure {
  const text = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);
  return new RenderFailure("refused", text(message, "it did not say why"), text(code, "internal"));
}

/** A line as a reply, or nothing where it is none. Its members can still be anything. */
export function parseReply(line: string): Reply | undefined {
  try {
    const reply: unknown = JSON.parse(line);
    return typeof reply === "object" && reply !== null ? (reply as Reply) : undefined;
  } catch {
    return undefined;
  }
}
