import { RE2JS } from "re2js";
import { problem } from "../problem.ts";
import { filterInvalid } from "./argument.ts";

/**
 * Regular expressions from requests. RE2 has no catastrophic patterns, but its time is program size × text length, and
 * clients choose both: hence the limit on the size and the time budget. Contract §4; library: re2js.
 */

const maxPatternBytes = 1000;
// 1,000 instructions over 64 KiB take 0.4 s at worst (measured: `[ab]{500}(a[ab]{300}|b[ab]{100})d`).
const maxProgramSize = 2000;
const maxReadingMs = 250;
const charactersBetweenLooks = 256;
const shortText = 4096;

/** The remaining time for a request's matching, shared by all its conditions. */
export class TimeBudget {
  private leftMs: number;
  readonly clock: () => number;

  constructor(ms: number, clock: () => number = () => performance.now()) {
    this.leftMs = ms;
    this.clock = clock;
  }

  /** Runs the work and charges its time. Throws filter_too_costly when no time is left before or after. */
  spend<T>(work: (deadlineMs: number) => T): T {
    if (this.leftMs <= 0) throw tooCostly();
    const start = this.clock();
    const result = work(start + this.leftMs);
    this.leftMs -= this.clock() - start;
    if (this.leftMs < 0) throw tooCostly();
    return result;
  }
}

/** The time that this thread has worked, in ms: on a busy machine a request also waits, which its pattern does not cost. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const tooCostly = () => problem("filter_too_costly", { argument: "filter" });

/** A pattern of a request without its slashes, and its flags: i, m, s, u. u is always on. */
type Pattern = { source: string; flags: string };

/**
 * Validates the patterns of one request. Compiling one takes up to 50 ms (measured: 300 times `\PL` with the flag i),
 * so all patterns of a request share a time budget.
 */
export class PatternCheck {
  private readonly budget = new TimeBudget(maxReadingMs, workedMs);

  /**
   * Validates the value of `regexp` and `nregexp`. Throws filter_invalid (syntax, look-around, back-references),
   * filter_too_complex, filter_too_costly.
   */
  operand(argument: string, value: string): void {
    this.check(argument, value, operandOf(value));
  }

  /**
   * Validates a text of a find argument, which may be a pattern. Throws the same; filter_invalid also for an
   * unsupported flag.
   */
  part(argument: string, value: string): void {
    const pattern = delimitedOf(value);
    if (!pattern) return;
    const unknown = /[^imsu]/.exec(pattern.flags)?.[0];
    if (unknown)
      throw filterInvalid(argument, value, `a pattern with the flags i, m, s and u, of which "${unknown}" is none`);
    this.check(argument, value, pattern);
  }

  private check(argument: string, value: string, pattern: Pattern): void {
    if (Buffer.byteLength(value) > maxPatternBytes) {
      throw problem("filter_too_complex", { rule: `"${argument}" has at most ${maxPatternBytes} bytes` });
    }
    const regexp = this.budget.spend(() =>
      compile(pattern, (reason) => {
        const accepted = `an RE2 regular expression, without look-around and back-references (${reason})`;
        throw filterInvalid(argument, value, accepted);
      }),
    );
    if (regexp.programSize() > maxProgramSize) {
      throw problem("filter_too_complex", { rule: `"${argument}" repeats too much; use smaller counts in {}` });
    }
  }
}

type Test = (text: string) => boolean;

/**
 * The test for the value of `regexp`: whether it matches anywhere in a text. The pattern is bare, or `/pattern/i`,
 * `/…/u`, `/…/iu`. The test throws filter_too_costly once the budget is used up, also in the middle of one long text.
 */
export const compileOperand = (value: string, budget: TimeBudget): Test => compilePattern(operandOf(value), budget);

/** The test for one text of a find argument: its pattern matches, or the plain text occurs. */
export function compilePart(value: string, budget: TimeBudget): Test {
  const pattern = delimitedOf(value);
  return pattern ? compilePattern(pattern, budget) : (text) => text.includes(value);
}

/** True when a text of a find argument is a pattern. */
export const isPattern = (value: string): boolean => delimitedOf(value) !== undefined;

/** A text that each match of the value of `regexp` contains in lower case; empty where none is known. */
export const certainOfOperand = (value: string): string =>
  // k and s have lower cases beyond ASCII (the Kelvin sign, the long s), and other letters may have several.
  longest(certainRuns(operandOf(value)).flatMap((run) => run.toLowerCase().split(/[ks\u0080-\uffff]+/)));

/** The same for one text of a find argument, which may be plain. */
export function certainOfPart(value: string): string {
  const pattern = delimitedOf(value);
  if (!pattern) return value;
  return pattern.flags.includes("i") ? "" : longest(certainRuns(pattern));
}

/** What may make a text optional or stand for another one: groups, classes, alternatives, unusual escapes and braces. */
const uncertain = /[|()[\]]|\\(?![dDwWsSbBAz\p{P}\p{S}])|\{(?!\d+(,\d*)?\})/u;
/** One atom with its repetition. Only a literal one is in the first group, with the backslash that escapes it. */
const atoms = /(?:\\[dDwWsSbBAz]|[.^$]|(\\?[\s\S]))([*?+]|\{\d+(?:,\d*)?\})?\??/gu;

const longest = (texts: readonly string[]): string =>
  texts.reduce((most, text) => (text.length > most.length ? text : most), "");

/** The runs of characters that the pattern requires one after another. */
function certainRuns({ source }: Pattern): string[] {
  if (uncertain.test(source)) return [];
  const runs = [""];
  for (const [, literal, repetition] of source.matchAll(atoms)) {
    const isCertain = literal !== undefined && (repetition === undefined || repetition === "+");
    if (isCertain) runs.push(runs.pop() + (literal.length > 1 ? literal.replace(/^\\/, "") : literal));
    if (!isCertain || repetition !== undefined) runs.push("");
  }
  return runs;
}

function compilePattern(pattern: Pattern, budget: TimeBudget): Test {
  const regexp = compile(pattern, (reason) => {
    throw new Error(`a pattern that was not checked: ${reason}`);
  });
  return (text) =>
    budget.spend((deadlineMs) =>
      text.length <= shortText
        ? regexp.test(text)
        : regexp.test(new ClockedText(text, deadlineMs, budget.clock) as unknown as string),
    );
}

/** Case does not count and lines are lines, as in Flextype (`/…/ium`). Contract §4. */
function operandOf(value: string): Pattern {
  const [, source = value] = /^\/(.+)\/(i|u|iu|ui)$/s.exec(value) ?? [];
  return { source, flags: "im" };
}

/**
 * The pattern in a text of a find argument; undefined for a plain text. As in Flextype (Symfony Finder) a pattern is
 * slashes around at least one character, followed by flags only. So `/`, `//` and `/a/b` are plain texts and `/a/b/` is
 * a pattern. Flags of PCRE and JavaScript that RE2 lacks also make a pattern, which is then refused: as a plain text it
 * would find nothing without an explanation. Flextype's other delimiters (`#…#`, `(…)`) are not supported. Decision 26.
 */
function delimitedOf(value: string): Pattern | undefined {
  const [, source, flags = ""] = /^\/(.+)\/([imsuxADUngy]*)$/.exec(value) ?? [];
  return source === undefined ? undefined : { source, flags };
}

/**
 * The test for a pattern of a schema, which is written for ECMAScript; it throws filter_too_costly after the deadline,
 * also in the middle of one long text. `refuse` gets the reason why RE2 does not take the pattern.
 */
export function schemaPattern(
  source: string,
  refuse: (reason: string) => never,
): (text: string, deadlineMs: number, clock?: () => number) => boolean {
  if (Buffer.byteLength(source) > maxPatternBytes) return refuse(`a pattern has at most ${maxPatternBytes} bytes`);
  const regexp = compile({ source: toRe2(source), flags: "" }, (reason) =>
    refuse(`a pattern is an RE2 regular expression, without look-around and back-references (${reason})`),
  );
  if (regexp.programSize() > maxProgramSize) return refuse("a pattern repeats too much; use smaller counts in {}");
  return (text, deadlineMs, clock = () => performance.now()) =>
    text.length <= shortText
      ? regexp.test(text)
      : regexp.test(new ClockedText(text, deadlineMs, clock) as unknown as string);
}

/** The long names of general categories that ECMAScript has and RE2 has not. */
const categories: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  digit: "Nd",
  Punctuation: "P",
  punct: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Other: "C",
};

/** What the two write differently: `\u00e9`, `\u{1f600}`, `\cA`, `\p{Letter}`, `\p{Script=Greek}`. */
const toRe2 = (source: string): string =>
  source.replace(
    /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|c([a-zA-Z])|([pP])\{(?:\w+=)?(\w+)\}|[\s\S])/g,
    (text, high, low, unit, point, control, negation, name) => {
      if (high) return hex(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0));
      if (unit ?? point) return hex(Number.parseInt(unit ?? point, 16));
      if (control) return hex(control.charCodeAt(0) % 32);
      return name ? `\\${negation}{${Object.hasOwn(categories, name) ? categories[name] : name}}` : text;
    },
  );

const hex = (point = 0): string => `\\x{${point.toString(16)}}`;

const flagValues: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  u: 0,
};

function compile({ source, flags }: Pattern, refuse: (reason: string) => never): RE2JS {
  try {
    return RE2JS.compile(
      source,
      [...flags].reduce((all, flag) => all | (flagValues[flag] ?? 0), 0),
    );
  } catch (error) {
    return refuse((error as Error).message.replace(/^error parsing regexp: /, ""));
  }
}

/**
 * A text that checks the deadline while it is read. re2js reads its input by `charCodeAt` only and accepts any String
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
