import { introduction } from "./introduction.ts";
import { operation } from "./openapi-operation.ts";
import { problemComponents, problemSchema } from "./openapi-problem.ts";
import { Schemas } from "./openapi-schema.ts";
import { tagParts } from "./openapi-tag.ts";
import { namingAddress } from "./page.ts";
import { readRecording } from "./recorded.ts";
import { json, tagOf } from "./reply.ts";
import { type ApiRoute, route } from "./route.ts";

type Node = Record<string, unknown>;

const openApiPath = "/api/openapi.json";

/**
 * /api/openapi.json: OpenAPI 3.1 generated from the route table, so that it cannot drift. Its addresses are those by
 * which the client reached the service.
 */
export function openApiRoutes(routes: readonly ApiRoute[], version: string, publicUrl: string | undefined): ApiRoute[] {
  const own: ApiRoute = route({
    ignoresUnknown: true,
    method: "GET",
    url: openApiPath,
    summary: "Read this description",
    description: "The whole reference as OpenAPI 3.1, for generators of clients and for the page at `/docs`.",
    examples: [{ summary: "The description" }],
    arguments: {},
    problems: ["host_invalid"],
    handle: namingAddress(
      publicUrl,
      (base) => JSON.stringify(openApi([...routes, own], version, base)),
      (text) => json(text, { cacheControl: "public, max-age=60", tag: tagOf(text), coded: {} }),
    ),
  });
  return [own];
}

/** The description of the routes, for a service at this address. */
function openApi(routes: readonly ApiRoute[], version: string, base: string): Node {
  const recording = readRecording();
  const schemas = new Schemas();
  schemas.name("Problem", problemSchema);
  const paths: Record<string, Node> = {};
  for (const route of routes) {
    const path = route.url.replace("*", "{path}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, { schemas, recording, base }) };
  }
  const { responses, examples } = problemComponents(routes, recording);
  const notModified = { NotModified: { description: "What the client has is still current." } };
  return {
    openapi: "3.1.0",
    info: {
      title: "Octavo",
      version,
      summary: "A content service: entries, folders, files, a registry and images over a JSON REST API.",
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: base, description: "The service that answers this description." }],
    ...tagParts(routes.map(({ url }) => url)),
    paths,
    components: {
      securitySchemes,
      schemas: schemas.named,
      responses: { ...notModified, ...responses },
      examples,
    },
  };
}

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "The token of the API family: a delivery, management or images token.",
  },
  token: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The same token as an argument of the address, for reads: such answers may be kept by shared caches.",
  },
  access_token: {
    type: "apiKey",
    in: "header",
    name: "X-Access-Token",
    description: "The access token that a write needs beside its management token.",
  },
};
