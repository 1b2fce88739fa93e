import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { FairQueue } from "../core/lib/fair-queue.ts";
import { isCommonPassword } from "./common-password.ts";
import { problem } from "./problems.ts";

/** Passwords of people: argon2id, stored as PHC text. Contract, part three, §19; decision 72. */

/** The first choice of OWASP's Password Storage Cheat Sheet. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;
const length = { min: 8, max: 256 };

const derive = (parameters: Argon2Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2("argon2id", parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });

type Phc = { memory: number; passes: number; parallelism: number; salt: Buffer; tag: Buffer };

/** Two ways to type one text are one password. */
const normal = (password: string): string => password.normalize("NFKC");

/**
 * Refuses a password that is too short, too long, common, or the person's own name or address. Throws password_weak.
 */
export function refuseWeak(argument: string, password: string, own: readonly string[]): void {
  const text = normal(password);
  const size = [...text].length;
  const refuse = (rule: string) => problem("password_weak", { argument, rule });
  if (size < length.min) throw refuse(`it is shorter than ${length.min} characters`);
  if (size > length.max) throw refuse(`it is longer than ${length.max} characters`);
  if (isCommonPassword(text)) throw refuse("it is one of the most common ones");
  const isOwn = own.some((word) => word !== "" && word.toLowerCase() === text.toLowerCase());
  if (isOwn) throw refuse("it is the name or the address of the person");
}

/** The PHC text of a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await tagOf(password, { ...cost, salt, tag: Buffer.alloc(tagBytes) }, admitted);
  return formatPhc({ ...cost, salt, tag });
}

/** What nobody's password is verified against, so that it takes the same time. */
const nobody: Phc = { ...cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) };

/**
 * True when the text is the password with this hash; takes as long without one, and then answers false. Askers take turns:
 * who is not known yet is its network. Throws busy.
 */
export async function isPassword(
  password: string,
  hash: string | null | undefined,
  asker = admitted,
): Promise<boolean> {
  // Longer texts are nobody's, and would take longer.
  if (password.length > length.max * 4) return false;
  const stored = hash ? parsePhc(hash) : undefined;
  const tag = await tagOf(password, stored ?? nobody, asker);
  return timingSafeEqual(tag, (stored ?? nobody).tag) && stored !== undefined;
}

/** True for a hash with other parameters than those of new ones. */
export function isOutdated(hash: string): boolean {
  const stored = parsePhc(hash);
  return !stored || (Object.keys(cost) as (keyof typeof cost)[]).some((name) => stored[name] !== cost[name]);
}

/** At most two at once: each takes 19 MiB, and a thread of those that also read files. */
const queue = new FairQueue({
  slots: 2,
  maxWaiting: 200,
  refusal: () => problem("busy", { reason: "too many people sign in" }),
});
/** Who has a session or a link. */
const admitted = "";

function tagOf(password: string, { memory, passes, parallelism, salt, tag }: Phc, asker: string): Promise<Buffer> {
  const parameters = { message: normal(password), nonce: salt, memory, passes, parallelism, tagLength: tag.length };
  return queue.run(asker, () => derive(parameters));
}

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

const formatPhc = ({ memory, passes, parallelism, salt, tag }: Phc): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** True for a hash that this version can verify. */
export const isPasswordHash = (text: string): boolean => parsePhc(text) !== undefined;

function parsePhc(text: string): Phc | undefined {
  const [, memory, passes, parallelism, salt = "", tag = ""] = phc.exec(text) ?? [];
  if (memory === undefined) return undefined;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}
