import { openRoute } from "./page.ts";
import type { Reference } from "./reference.ts";
import type { Route } from "./route.ts";

/** /docs and all below it: the API reference and the guides. */
export const docsRoutes = (reference: Reference): Route[] =>
  ["/docs", "/docs/*"].map((url) => openRoute(url, "The documentation", (call) => reference.answer(call)));
