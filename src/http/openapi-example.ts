import { type Code, catalogue } from "../domain/problem.ts";
import { type Example, exampleAddress, instead, type Provocation, sentArguments } from "./example.ts";
import { problemDocsPath, statusOf } from "./problem.ts";
import { type Recording, routeName, shownProblem } from "./recorded.ts";
import { problemsOf } from "./refusal.ts";
import type { ApiRoute } from "./route.ts";

type Node = Record<string, unknown>;

/** The bodies of the examples by their names. */
export function requestExamples({ examples }: ApiRoute): Node {
  return named(examples, (example) => {
    const { file } = example;
    return { ...sentArguments(example), ...(file ? { file: file.name } : {}) };
  });
}

/** What the examples were answered, by the same names. */
export function successExamples(route: ApiRoute, recording: Recording): Node {
  const replies = recording[routeName(route)]?.replies ?? [];
  return named(route.examples, (_, i) => {
    const { body, type } = replies[i] ?? {};
    return body ?? `The bytes, of the type ${type}.`;
  });
}

const named = (examples: readonly Example[], bodyOf: (example: Example, i: number) => unknown): Node =>
  Object.fromEntries(
    examples.map((example, i) => [example.summary, { summary: example.summary, value: bodyOf(example, i) }]),
  );

/** By status, every problem of the route: what it means, and how it reads. */
export function problemResponses(route: ApiRoute, recording: Recording): Record<string, Node> {
  const byStatus = Map.groupBy(problemsOf(route), (code) => statusOf[catalogue[code].kind]);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, codes]) => [status, problemResponse(route, codes, recording)]));
}

function problemResponse(route: ApiRoute, codes: Code[], recording: Recording): Node {
  const schema = { $ref: "#/components/schemas/Problem" };
  const examples = Object.fromEntries(codes.map((code) => [code, problemExample(route, code, recording)]));
  const description = codes
    .map((code) => `[\`${code}\`](${problemDocsPath}#${code}) ${catalogue[code].title}`)
    .join("; ");
  return { description, content: { "application/problem+json": { schema, examples } } };
}

function problemExample(route: ApiRoute, code: Code, recording: Recording): Node {
  const how = route.refused?.[code];
  return {
    summary: catalogue[code].title,
    ...(how ? { description: `Answers ${callText(route, how)}` } : {}),
    value: shownProblem(code, recording[routeName(route)]?.refusals[code]),
  };
}

const maxShown = 300;

/** The call in words: its address, and what its body says where that is not too long to read. */
function callText(route: ApiRoute, how: Provocation): string {
  const sent = instead(route.examples[0], how);
  const address = `${route.method} ${decodeURIComponent(exampleAddress(route.method, route.url, sent))}`;
  const body = route.method === "GET" ? "" : ` ${JSON.stringify(sentArguments(sent))}`;
  const after = how.given?.map((given) => `${given.method} ${given.url} ${JSON.stringify(given.arguments)}`);
  const text = `\`${address}${body.length > maxShown ? "" : body}\``;
  return after ? `${text} after \`${after.join("`, `")}\`` : text;
}
