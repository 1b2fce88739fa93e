import type { ApiRoute } from "./api.ts";
import { introduction } from "./introduction.ts";
import { headerComponents, operation } from "./openapi-operation.ts";
import { problemComponents, problemSchema } from "./openapi-problem.ts";
import { Schemas } from "./openapi-schema.ts";
import { readRecording } from "./recorded.ts";
import { tagParts } from "./tag.ts";
import { tusCodes, tusPaths, tusUrls } from "./tus.ts";

type Node = Record<string, unknown>;

/** The OpenAPI 3.1 description of the routes, for a service at this address. */
export function openApi(routes: readonly ApiRoute[], version: string, base: string): Node {
  const recording = readRecording();
  const schemas = new Schemas();
  schemas.name("Problem", problemSchema);
  const paths: Record<string, Node> = {};
  for (const route of routes) {
    const path = route.url.replace("*", "{path}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, { schemas, recording, base }) };
  }
  const { responses, examples } = problemComponents(routes, tusCodes, recording);
  const notModified = { NotModified: { description: "The client's copy is current." } };
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
    ...tagParts([...routes.map(({ url }) => url), ...tusUrls]),
    paths: { ...paths, ...tusPaths({ schemas, recording, base }) },
    components: {
      securitySchemes,
      schemas: schemas.named,
      responses: { ...notModified, ...responses },
      examples,
      ...headerComponents,
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
    description: "The same token in the query of reads: shared caches may store these replies.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "octavo_session",
    description: "The session of a person who signed in to the admin page; writes send `X-CSRF-Token`, too.",
  },
  access_token: {
    type: "apiKey",
    in: "header",
    name: "X-Access-Token",
    description: "The access token that a write needs in addition to its management token.",
  },
};
