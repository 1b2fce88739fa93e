import type { Served, Service } from "../service.ts";
import { ThreadRenderer } from "./prose/renderer.ts";

/** The renderer of prose of a service. */

/** A renderer of Markdown, whose threads start with the first text. */
export const proseOf = (_service: Service): ThreadRenderer =>
  new ThreadRenderer({ timeoutMs: 5000, maxWaitMs: 2000, idleMs: 60_000 });

export const serveRender = (service: Service): Served => ({ stop: () => service.part(proseOf).close() });
