import type { Reference } from "./reference.ts";
import { type Route, route } from "./route.ts";

const url = "/api/openapi.json";

/** The OpenAPI 3.1 description, as the build made it of the routes, with the address that the client used. */
export const openApiRoute = (reference: Reference): Route =>
  route({
    ignoresUnknown: true,
    method: "GET",
    url,
    summary: "Read this description",
    arguments: {},
    problems: ["host_invalid", "docs_not_built"],
    handle: (call) => reference.answer(call, url),
  });
