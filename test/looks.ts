import { isLong } from "./long.ts";

export type Look = { width: number; colorScheme: "light" | "dark" };

const pair: readonly Look[] = [
  { width: 360, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
];

/** How tests look at a page: on a phone and on a desktop, in light and dark; `npm run test:all` in every combination. */
export const looks: readonly Look[] = isLong
  ? pair.flatMap(({ width }) => pair.map(({ colorScheme }) => ({ width, colorScheme })))
  : pair;
