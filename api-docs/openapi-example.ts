import { type ApiRoute, routeName } from "./api.ts";
import { type Example, exampleAddress, instead, type Provocation, sentArguments } from "./example.ts";
import type { Recording } from "./recorded.ts";

type Node = Record<string, unknown>;

/** The request bodies of the examples by their names. */
export function requestExamples({ examples }: ApiRoute): Node {
  return named(examples, (example) => {
    const { file } = example;
    return { ...sentArguments(example), ...(file ? { file: file.name } : {}) };
  });
}

/** The recorded replies to the examples, by the same names. */
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

const maxShown = 300;

/** A provoking call as text: its URL, and its body if that is short. */
export function callText(route: ApiRoute, how: Provocation): string {
  const sent = instead(route.examples[0], how);
  const address = `${route.method} ${decodeURIComponent(exampleAddress(route.method, route.url, sent))}`;
  const body = route.method === "GET" ? "" : ` ${JSON.stringify(sentArguments(sent))}`;
  const after = how.given?.map((given) => `${given.method} ${given.url} ${JSON.stringify(given.arguments)}`);
  const text = `\`${address}${body.length > maxShown ? "" : body}\``;
  return after ? `${text} after \`${after.join("`, `")}\`` : text;
}
