import type { TokenStore } from "../core/access/token.ts";
import { authenticate, manages, readCredentials } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type Answer, json, managementCache, tagOf } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import { pagesBy } from "../core/lib/in-groups.ts";
import { Problem } from "../core/problem.ts";
import { describeTypes } from "../type/openapi.ts";
import type { StoredType, TypeStore } from "../type/type.ts";
import type { Docs } from "./docs-routes.ts";

const url = "/api/openapi.json";
const pageTypes = 100;

type Stores = { tokens: TokenStore; types: TypeStore };

/**
 * The OpenAPI 3.1 description, as the build made it of the routes, with the address that the client used. Whoever manages
 * entries reads the types of the store in it, too.
 */
export const openApiRoute = (docs: Docs, { tokens, types }: Stores): Route =>
  route({
    unknown: "ignored",
    method: "GET",
    url,
    summary: "Read this description",
    arguments: {},
    problems: ["host_invalid", "docs_not_built"],
    handle: async (call) => {
      const answer = docs.answer(call, url);
      const described = (await managesEntries(tokens, call)) ? await allTypes(types) : [];
      return described.length === 0 ? answer : withTypes(answer, described);
    },
  });

/** False also for a token that is refused: the description is open to all. */
async function managesEntries(tokens: TokenStore, call: Call): Promise<boolean> {
  try {
    const credentials = readCredentials(call.query, new Map(), call.headers);
    if (credentials.token === undefined) return false;
    const { token } = await authenticate(tokens, manages("entries"), credentials, call.nowSeconds);
    return token !== undefined;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

const allTypes = async (types: TypeStore): Promise<StoredType[]> =>
  (await Array.fromAsync(pagesBy(pageTypes, (last?: StoredType) => types.list(last?.id, pageTypes)))).flat();

function withTypes(answer: Answer, types: readonly StoredType[]): Answer {
  const description = JSON.parse(answer.body.toString());
  describeTypes(description, types);
  const text = JSON.stringify(description);
  return json(text, { cacheControl: managementCache, tag: tagOf(text) });
}
