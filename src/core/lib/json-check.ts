/**
 * Checks piece by piece, in constant memory, whether a text is well-formed JSON (RFC 8259). Stricter in one point: at
 * most 1,000 nested containers. A byte order mark is refused, as JSON.parse does.
 */

const maxDepth = 1000;

// What the grammar expects between two tokens.
type Expected = "value" | "item-or-end" | "key" | "key-or-end" | "colon" | "next-or-end" | "nothing";
// The current token; the names of a number's states say what was read last.
type NumberState = "minus" | "zero" | "digits" | "point" | "fraction" | "e" | "sign" | "exponent";
type Token = "none" | "string" | "escape" | "hex" | "word" | NumberState;

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon] = [code('"'), code("\\"), code(","), code(":")];
const [openObject, closeObject, openArray, closeArray] = [code("{"), code("}"), code("["), code("]")];
const escapes = new Set([...'"\\/bfnrt'].map(code));
const words = new Map(["true", "false", "null"].map((word) => [code(word), word.slice(1)]));

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
const isHex = (c: number): boolean => isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
const isE = (c: number): boolean => c === 0x65 || c === 0x45;
const afterDigits = (c: number): NumberState | undefined => (c === 0x2e ? "point" : isE(c) ? "e" : undefined);

/** The next state inside a number; undefined when the character does not belong to it. */
const numberSteps: Record<NumberState, (c: number) => NumberState | undefined> = {
  minus: (c) => (c === 0x30 ? "zero" : isDigit(c) ? "digits" : undefined),
  zero: afterDigits,
  digits: (c) => (isDigit(c) ? "digits" : afterDigits(c)),
  point: (c) => (isDigit(c) ? "fraction" : undefined),
  fraction: (c) => (isDigit(c) ? "fraction" : isE(c) ? "e" : undefined),
  e: (c) => (isDigit(c) ? "exponent" : c === 0x2b || c === 0x2d ? "sign" : undefined),
  sign: (c) => (isDigit(c) ? "exponent" : undefined),
  exponent: (c) => (isDigit(c) ? "exponent" : undefined),
};
const wholeNumbers: ReadonlySet<Token> = new Set<Token>(["zero", "digits", "fraction", "exponent"]);

/** Reads a JSON text piece by piece; returns whether it is valid. */
export class JsonCheck {
  private expected: Expected = "value";
  private token: Token = "none";
  private isKey = false;
  /** The remaining characters of a keyword, or the number of missing digits of \uXXXX. */
  private word = "";
  private hexLeft = 0;
  /** The closing character of every open container. */
  private readonly open: number[] = [];
  private isBroken = false;

  /** Reads the next piece. False as soon as no text with this beginning can be JSON; the rest need not be read then. */
  write(text: string): boolean {
    for (let at = 0; at < text.length && !this.isBroken; at++) {
      if (this.token === "string") at = this.plainEnd(text, at);
      if (at < text.length) this.isBroken = !this.step(text.charCodeAt(at));
    }
    return !this.isBroken;
  }

  /** True when the pieces together are one JSON text. */
  end(): boolean {
    if (wholeNumbers.has(this.token)) this.valueDone();
    return !this.isBroken && this.token === "none" && this.expected === "nothing";
  }

  /** Fast path: most of a JSON text is strings without escapes. */
  private plainEnd(text: string, from: number): number {
    let at = from;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === quote || c === backslash || c < 0x20) break;
    }
    return at;
  }

  private step(c: number): boolean {
    switch (this.token) {
      case "none":
        return isSpace(c) || this.begin(c);
      case "string":
        return this.inString(c);
      case "escape":
        return this.inEscape(c);
      case "hex":
        return this.inHex(c);
      case "word":
        return this.inWord(c);
      default:
        return this.inNumber(this.token, c);
    }
  }

  private begin(c: number): boolean {
    switch (this.expected) {
      case "item-or-end":
        return c === closeArray ? this.close(c) : this.beginValue(c);
      case "value":
        return this.beginValue(c);
      case "key-or-end":
        return c === closeObject ? this.close(c) : this.beginKey(c);
      case "key":
        return this.beginKey(c);
      case "colon":
        return c === colon && this.expect("value");
      case "next-or-end":
        return c === comma ? this.expect(this.open.at(-1) === closeArray ? "value" : "key") : this.close(c);
      default:
        return false;
    }
  }

  private beginValue(c: number): boolean {
    if (c === quote) return this.read("string");
    if (c === openObject) return this.enter(closeObject, "key-or-end");
    if (c === openArray) return this.enter(closeArray, "item-or-end");
    if (c === 0x2d) return this.read("minus");
    if (isDigit(c)) return this.read(c === 0x30 ? "zero" : "digits");
    this.word = words.get(c) ?? "";
    return this.word !== "" && this.read("word");
  }

  private beginKey(c: number): boolean {
    this.isKey = true;
    return c === quote && this.read("string");
  }

  private enter(end: number, expected: Expected): boolean {
    this.open.push(end);
    return this.open.length <= maxDepth && this.expect(expected);
  }

  private close(c: number): boolean {
    return this.open.pop() === c && this.valueDone();
  }

  private inString(c: number): boolean {
    if (c === backslash) return this.read("escape");
    if (c !== quote) return c >= 0x20;
    if (!this.isKey) return this.valueDone();
    this.isKey = false;
    this.token = "none";
    return this.expect("colon");
  }

  private inEscape(c: number): boolean {
    this.hexLeft = 4;
    return c === 0x75 ? this.read("hex") : escapes.has(c) && this.read("string");
  }

  private inHex(c: number): boolean {
    this.hexLeft--;
    return isHex(c) && (this.hexLeft > 0 || this.read("string"));
  }

  private inWord(c: number): boolean {
    if (c !== code(this.word)) return false;
    this.word = this.word.slice(1);
    return this.word !== "" || this.valueDone();
  }

  /** A number has no terminator: the character after it is read again in the next state. */
  private inNumber(state: NumberState, c: number): boolean {
    const next = numberSteps[state](c);
    if (next) return this.read(next);
    return wholeNumbers.has(state) && this.valueDone() && (isSpace(c) || this.begin(c));
  }

  private valueDone(): boolean {
    this.token = "none";
    return this.expect(this.open.length === 0 ? "nothing" : "next-or-end");
  }

  private read(token: Token): true {
    this.token = token;
    return true;
  }

  private expect(expected: Expected): true {
    this.expected = expected;
    return true;
  }
}
