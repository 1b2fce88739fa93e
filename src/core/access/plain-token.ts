import type { Token } from "./token.ts";

/** A management token without bounds that nobody has used. */
export const plainToken = {
  kind: "management",
  paths: null,
  writes: "all",
  label: "",
  environment: "",
  state: "enabled",
  limitCalls: 0,
  calls: 0,
  expiresAt: null,
  createdAt: 0,
  lastUsedAt: null,
  maker: null,
} as const satisfies Partial<Token>;
