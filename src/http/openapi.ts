import { operation } from "./openapi-operation.ts";
import { problemComponents, problemSchema } from "./openapi-problem.ts";
import { Schemas } from "./openapi-schema.ts";
import { tagParts } from "./openapi-tag.ts";
import { namingAddress } from "./page.ts";
import { readRecording } from "./recorded.ts";
import { json, tagOf } from "./reply.ts";
import type { ApiRoute } from "./route.ts";

type Node = Record<string, unknown>;

const openApiPath = "/api/openapi.json";

/**
 * /api/openapi.json: OpenAPI 3.1 made of the route table itself, so that it cannot drift. Its addresses are those by which
 * the client reached the service.
 */
export function openApiRoutes(routes: readonly ApiRoute[], version: string, publicUrl: string | undefined): ApiRoute[] {
  const own: ApiRoute = {
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
      (text) => json(text, { cacheControl: "max-age=60", tag: tagOf(text), coded: {} }),
    ),
  };
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

const introduction = `Octavo stores content for apps and websites and serves it over a JSON REST API, with images in any shape.

The examples are on the sample site of \`npm start\`, and what stands beside each of them is what the service answered. Paste the \`curl\` lines into a shell that has the tokens, which the first start prints once:

\`\`\`sh
export DELIVERY_TOKEN=oct_d_…
export MANAGEMENT_TOKEN=oct_m_…
export ACCESS_TOKEN=oct_a_…
export IMAGES_TOKEN=oct_i_…
\`\`\`

## Tokens

Every call of the API needs a token with the resource it is about: a **delivery** token reads what is public, a **management** token reads everything, and writes when an **access** token comes with it; **images** tokens open \`/api/images\`. A token is sent as \`Authorization: Bearer\`, as the argument \`token\` of a read, or as the field \`token\` of a write's body; the access token as \`X-Access-Token\` or as the field \`access_token\`.

## Requests and answers

A write takes its arguments in the body: as JSON, as a form with brackets (\`data[title]=Dune\`), or as \`multipart/form-data\`. A good answer is \`{"data": …}\` with status 200, or 204 without a body after a delete. Reads carry an \`ETag\`: send it back as \`If-None-Match\` to be told 304 when nothing changed, or as \`If-Match\` with a write that must not overwrite somebody else's. Times are Unix seconds.

## Problems

A refusal is \`application/problem+json\` (RFC 9457): \`code\` is for programs and never changes its meaning, \`detail\` names the argument, what came and what is accepted. [The list of problems](/docs/problems) explains each code.

## Read on

[About Octavo](/docs/readme) · [Images, with a picture of each argument](/docs/images) · [Problems](/docs/problems) · [Settings](/docs/settings)
`;

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
