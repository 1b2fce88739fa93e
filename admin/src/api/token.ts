import type { Token } from "../../../client/src/api.ts";
import { say } from "../language/say.ts";

export type TokenKind = Token["kind"];
export type Resource = Token["resources"][number];

const withPaths: Resource[] = ["entries", "files", "folders"];

/** What a kind of token can have; with paths only resources whose things have one. */
export const resourcesOf = (kind: TokenKind, hasPaths = false): Resource[] => {
  if (kind === "preview") return ["entries", "files"];
  if (kind !== "management" && kind !== "delivery") return [];
  if (hasPaths) return withPaths;
  return kind === "management" ? [...withPaths, "registry", "admin"] : [...withPaths, "registry"];
};

export type Life = { label: string /** Undefined: it does not expire. */; seconds: number | undefined };

const daySeconds = 86_400;

/** How long a preview token may last, the usual life last but one. */
export const previewLives: readonly Life[] = [
  { label: say("In 1 hour"), seconds: 3600 },
  { label: say("In 1 day"), seconds: daySeconds },
  { label: say("In 7 days"), seconds: 7 * daySeconds },
  { label: say("In 30 days"), seconds: 30 * daySeconds },
];

const otherLives: readonly Life[] = [
  { label: say("Never"), seconds: undefined },
  { label: say("In 30 days"), seconds: 30 * daySeconds },
  { label: say("In 90 days"), seconds: 90 * daySeconds },
  { label: say("In a year"), seconds: 365 * daySeconds },
];

export const livesOf = (kind: TokenKind): readonly Life[] => (kind === "preview" ? previewLives : otherLives);

/** The usual life of a new token. */
export const usualLife = (kind: TokenKind): string => (kind === "preview" ? say("In 7 days") : say("Never"));

/** The end of a life that begins now, in Unix seconds. */
export const endOf = ({ seconds }: Life): number | null =>
  seconds === undefined ? null : Math.floor(Date.now() / 1000) + seconds;
