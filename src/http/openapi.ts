import { Problem } from "../domain/problem.ts";
import type { TokenStore } from "../domain/token.ts";
import type { StoredType, TypeStore } from "../domain/type.ts";
import { describeTypes } from "../domain/type-openapi.ts";
import { authenticate, manages, readCredentials } from "./auth.ts";
import type { Call } from "./call.ts";
import type { Reference } from "./reference.ts";
import { type Answer, json, managementCache, tagOf } from "./reply.ts";
import { type Route, route } from "./route.ts";

const url = "/api/openapi.json";
const pageTypes = 100;

type Stores = { tokens: TokenStore; types: TypeStore };

/**
 * The OpenAPI 3.1 description, as the build made it of the routes, with the address that the client used. Whoever manages
 * entries reads the types of the store in it, too.
 */
export const openApiRoute = (reference: Reference, { tokens, types }: Stores): Route =>
  route({
    ignoresUnknown: true,
    method: "GET",
    url,
    summary: "Read this description",
    arguments: {},
    problems: ["host_invalid", "docs_not_built"],
    handle: async (call) => {
      const answer = reference.answer(call, url);
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

async function allTypes(types: TypeStore): Promise<StoredType[]> {
  const found: StoredType[] = [];
  for (;;) {
    const page = await types.list(found.at(-1)?.id, pageTypes);
    found.push(...page);
    if (page.length < pageTypes) return found;
  }
}

function withTypes(answer: Answer, types: readonly StoredType[]): Answer {
  const description = JSON.parse(answer.body.toString());
  describeTypes(description, types);
  const text = JSON.stringify(description);
  return json(text, { cacheControl: managementCache, tag: tagOf(text) });
}
