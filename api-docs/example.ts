import { type Need, own, writes } from "../src/core/http/auth.ts";
import type { Code } from "../src/core/problem.ts";

/**
 * The reference texts of an operation: a description and example calls. The reference prints the calls, `npm run
 * docs` runs them and records the replies in docs/examples.json, test/http/example.test.ts runs them again. All use the
 * sample site of `octavo serve --demo`.
 */

/** The data of one call. Absent parts are filled with those of a valid call of the route. */
export type Sent = {
  /** The replacement of `*` in the path. */
  path?: string;
  /** By name, as plain JSON: in the query of a GET, in the body of a write. undefined omits one. */
  arguments?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The file to upload. */
  file?: SampleFile;
  /** Preparing calls, if the sample site lacks something that the example needs. */
  given?: Given[];
};

export type SampleFile = { name: string; content: string | Uint8Array };
export type Given = Sent & { method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"; url: string };

/** What a preparing call needs: a person's session where it is about the own account. */
export const needOf = ({ url }: Given): Need => (/^\/api\/(people\/me|views)/.test(url) ? own("write") : writes());

export type Example = Sent & {
  /** A short summary: the example's name in the reference. */
  summary: string;
};

/** Valid calls on the sample site; refusals are derived from the first. */
export type Examples = readonly [Example, ...Example[]];

/** A group of operations in the reference: those whose URL the pattern holds. `group` is that of the tag itself. */
export type Tag = { name: string; description: string; group: string; holds: RegExp };

/**
 * By problem code, the parts of the route's first example to replace in order to provoke the problem; null where the sample
 * site cannot.
 */
export type Refused = Partial<Record<Code, Provocation | null>>;

/** The reference texts of an operation, in addition to its route. */
export type Described = {
  /** In Markdown. */
  description: string;
  examples: Examples;
  /** How to provoke its problems, where refusal.ts has no rule for all routes. */
  refused?: Refused;
};
/** By `GET /api/entries`. */
export type Descriptions = Record<string, Described>;

/** Additional parts of a call that provokes a refusal: wrong tokens, a body or a query as raw text. */
export type Provocation = Sent & {
  token?: "none" | "unknown" | "another" | "spent";
  /** `limited`: to other paths than those of the call. */
  accessToken?: "none" | "unknown" | "limited";
  body?: string;
  query?: string;
};

/** The name of each kind's token in the demo, used in examples in place of its secret. */
export const tokenName = {
  delivery: "DELIVERY_TOKEN",
  management: "MANAGEMENT_TOKEN",
  images: "IMAGES_TOKEN",
} as const;
export const accessTokenName = "ACCESS_TOKEN";

/** The kind of token that a route's examples use: the one with the fewest rights. */
export const exampleKind = ({ kinds }: Need): keyof typeof tokenName => kinds[0] as keyof typeof tokenName;

/** A placeholder for the id of a preview token, which differs each time. */
export const samplePreviewId = "b1d9e0c4-52a7-4e36-8f0d-6a3c7e25d948";

/** A placeholder for the id of the demo's delivery token, which differs on each installation. */
export const sampleTokenId = "3f2b8c1e-6d47-4a90-b5e3-91c07de8a254";

/** A placeholder for the id of a session, which differs each time. */
export const sampleSessionId = "7c0d5a92-1b3e-4f68-9a47-e25b80c61d3f";

/** A placeholder for the id of a person, which differs each time. */
export const samplePersonId = "e4a7c1d9-8b25-4f03-9c6e-5d10a2b7f846";

/** A placeholder for the id of a passkey, which differs each time. */
export const samplePasskeyId = "2d9f4b61-7c38-4e5a-8b10-c6e3a9d07f52";

/** A placeholder for the id of a webhook, which differs each time. */
export const sampleWebhookId = "9a6e2c75-d01b-4f83-a5c4-70e8b3f1d296";
/** A placeholder for the id of a release, which differs each time. */
export const sampleReleaseId = "c58f0b37-94ae-4d12-b6a9-2e71d0c3f485";
/** A placeholder for the id of a view, which differs each time. */
export const sampleViewId = "9b3e6d20-41fa-4c87-a5d1-0f72c8e4b693";

/** A placeholder for what a browser makes of options; its texts are longer. */
export const samplePasskey = {
  ...{ id: "qNDtLLX5Hl0", rawId: "qNDtLLX5Hl0", type: "public-key" },
  response: { clientDataJSON: "eyJ0eXBlIjoi", attestationObject: "o2NmbXRkbm9uZQ", transports: ["internal"] },
  clientExtensionResults: {},
};

/** A placeholder for the id of the newest item in the trash: on a sample site without other writes it is this number. */
export const sampleTrashId = 28;

/** The same for the number of the newest migration: its first event, which is the newest one where it has no other. */
export const sampleGroup = 34;

/** The example with parts replaced: arguments and headers are merged, the rest is overwritten. */
export const instead = (example: Sent, sent: Provocation): Provocation => ({
  ...example,
  ...sent,
  arguments: { ...example.arguments, ...sent.arguments },
  headers: { ...example.headers, ...sent.headers },
});

/**
 * The address of a call with its query, percent-encoded except for brackets, slashes and colons, for people to read.
 */
export function exampleAddress(method: string, url: string, sent: Provocation): string {
  const path = url.replace("*", encode(sent.path ?? ""));
  const pairs = method === "GET" ? [...queryPairs(sent.arguments ?? {})] : [];
  const query = [...pairs.map((pair) => pair.map(encode).join("=")), ...(sent.query ? [sent.query] : [])].join("&");
  return query ? `${path}?${query}` : path;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(5B|5D|2F|3A|2C|7C)/g, (code) => decodeURIComponent(code));

/** Flattens arguments to names with brackets. An empty group becomes `name=`, which still requests it. */
function* queryPairs(group: object, name = ""): Generator<[name: string, text: string]> {
  for (const [key, value] of Object.entries(group)) {
    const full = name ? `${name}[${key}]` : key;
    if (value === undefined) continue;
    if (typeof value !== "object" || value === null) yield [full, String(value)];
    else if (Object.keys(value).length === 0) yield [full, ""];
    else yield* queryPairs(value, full);
  }
}

/** The arguments that are sent, without the omitted ones. */
export const sentArguments = ({ arguments: all = {} }: Sent): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
