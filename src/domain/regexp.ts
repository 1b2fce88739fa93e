import { RE2JS } from "re2js";
import { filterInvalid } from "./argument.ts";
import { problem } from "./problem.ts";

/**
 * Regular expressions out of a request. RE2 has no catastrophic patterns, but its time is program size × text length,
 * and both come from clients: hence the cap on the one and the clock on the other. Contract §4; library: re2js.
 */

const maxPatternBytes = 1000;
// 1,000 instructions over 64 KiB take 0.4 s at worst (measured: `[ab]{500}(a[ab]{300}|b[ab]{100})d`).
const maxProgramSize = 2000;
const charactersBetweenLooks = 256;
const shortText = 4096;

/** What a request's matching may still take, shared by all its conditions. */
export class TimeBudget {
  private leftMs: number;
  readonly clock: () => number;

  constructor(ms: number, clock: () => number = () => performance.now()) {
    this.leftMs = ms;
    this.clock = clock;
  }

  /** Runs the work and charges its time. Throws filter_too_costly when there was no time left before or after. */
  spend<T>(work: (deadlineMs: number) => T): T {
    if (this.leftMs <= 0) throw tooCostly();
    const start = this.clock();
    const result = work(start + this.leftMs);
    this.leftMs -= this.clock() - start;
    if (this.leftMs < 0) throw tooCostly();
    return result;
  }
}

const tooCostly = () => problem("filter_too_costly", { argument: "filter" });

/** Throws filter_invalid (syntax, look-around, back-references), filter_too_complex. */
export function checkPattern(argument: string, value: string): void {
  if (Buffer.byteLength(value) > maxPatternBytes) {
    throw problem("filter_too_complex", { rule: `"${argument}" has at most ${maxPatternBytes} bytes` });
  }
  const regexp = compile(value, (reason) => {
    const accepted = `an RE2 regular expression, without look-around and back-references (${reason})`;
    throw filterInvalid(argument, value, accepted);
  });
  if (regexp.programSize() > maxProgramSize) {
    throw problem("filter_too_complex", { rule: `"${argument}" repeats too much; use smaller counts in {}` });
  }
}

/**
 * The test a pattern stands for: whether it matches anywhere in a text. The pattern is bare, or `/pattern/i`, `/…/u`,
 * `/…/iu`; u is always on. The test throws filter_too_costly once the budget is used up, also amid one long text.
 */
export function compilePattern(value: string, budget: TimeBudget): (text: string) => boolean {
  const regexp = compile(value, (reason) => {
    throw new Error(`a pattern that was not checked: ${reason}`);
  });
  return (text) =>
    budget.spend((deadlineMs) =>
      text.length <= shortText
        ? regexp.test(text)
        : regexp.test(new ClockedText(text, deadlineMs, budget.clock) as unknown as string),
    );
}

function compile(value: string, refuse: (reason: string) => never): RE2JS {
  const [, pattern = value, flags = ""] = /^\/(.+)\/(i|u|iu|ui)$/s.exec(value) ?? [];
  try {
    return RE2JS.compile(pattern, flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    return refuse((error as Error).message.replace(/^error parsing regexp: /, ""));
  }
}

/**
 * A text that looks at the clock while it is read. re2js reads its input by `charCodeAt` alone and takes any String
 * object, so this is the one place where a running match can be stopped.
 */
class ClockedText extends String {
  private readonly text: string;
  private readonly deadlineMs: number;
  private readonly clock: () => number;
  private reads = 0;

  constructor(text: string, deadlineMs: number, clock: () => number) {
    super(text);
    this.text = text;
    this.deadlineMs = deadlineMs;
    this.clock = clock;
  }

  override charCodeAt(index: number): number {
    if (++this.reads % charactersBetweenLooks === 0 && this.clock() > this.deadlineMs) throw tooCostly();
    return this.text.charCodeAt(index);
  }
}
