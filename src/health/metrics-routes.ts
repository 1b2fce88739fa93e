import { manages } from "../core/http/auth.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";

/** `/metrics`, for Prometheus. Contract, part three, §20. */

const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The route for management tokens with `admin`, as `Authorization: Bearer`. `text` is that of the whole service. */
export const metricsRoute = (text: () => Promise<string>): Route =>
  route({
    unknown: "ignored",
    method: "GET",
    url: "/metrics",
    summary: "Metrics of the running service for Prometheus",
    need: manages("admin"),
    arguments: {},
    replyForm: { type: "text/plain", isBare: true },
    problems: [],
    handle: () => metricsAnswer(text),
  });

export async function metricsAnswer(text: () => Promise<string>): Promise<Answer> {
  return { status: 200, body: await text(), contentType, cacheControl: "no-store" };
}
