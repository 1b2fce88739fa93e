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

/** A provoking call as text: its URL, and its body if that is short, as of the calls before it. */
export function callText(route: ApiRoute, how: Provocation): string {
  const sent = instead(route.examples[0], how);
  const address = `${route.method} ${decodeURIComponent(exampleAddress(route.method, route.url, sent))}`;
  const shown = (body: object = {}): string => {
    const text = ` ${JSON.stringify(body)}`;
    return text.length > maxShown ? "" : text;
  };
  const after = how.given?.map((given) => `${given.method} ${given.url}${shown(given.arguments)}`);
  const text = `\`${address}${route.method === "GET" ? "" : shown(sentArguments(sent))}\``;
  return after ? `${text} after \`${after.join("`, `")}\`` : text;
}
