import { isWrite } from "../src/core/http/auth.ts";
import { problemDocsPath, statusOf } from "../src/core/http/problem.ts";
import type { TSchema } from "../src/core/lib/json-schema.ts";
import { isOptional } from "../src/core/lib/json-schema.ts";
import { type Code, rowOf } from "../src/core/problem.ts";
import { type ApiRoute, routeName } from "./api.ts";
import { curlLine } from "./curl.ts";
import { type Example, exampleAddress, sentArguments } from "./example.ts";
import { Html, html } from "./html.ts";
import { callText } from "./openapi-example.ts";
import { headerNames, headers, operationId } from "./openapi-operation.ts";
import { proseHtml } from "./page.ts";
import type { Recorded, RecordedReply, Recording } from "./recorded.ts";
import { sharedProblems } from "./refusal.ts";

/** An operation of the reference as HTML: its purpose, arguments and replies, with examples as recorded. */
export function operationHtml(route: ApiRoute, recording: Recording, base: string): Html {
  const recorded = recording[routeName(route)] ?? { replies: [], refusals: {} };
  const id = operationId(route);
  // Two addresses of one thing have the same title: the address tells them apart.
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title ${id}-address">
<div>
<h2 id="${id}-title">${route.summary}</h2>
<div id="${id}-address">${addressHtml(route)}</div>
${proseHtml(route.description)}
<p class="who">${whoMay(route)}</p>
${argumentsHtml(route)}
${answerHtml(route)}
${problemsHtml(route, recorded)}
</div>
<div class="examples">
${route.examples.map((example, i) => exampleHtml(route, example, recorded.replies[i], base))}
</div>
</section>`;
}

/** The method and the address, as in headings and lists of operations. */
export const addressHtml = ({ method, url }: ApiRoute): Html =>
  html`<p class="address"><b class="${method.toLowerCase()}">${method}</b> <code>${url.replace("*", "{path}")}</code></p>`;

const oneOf = (names: readonly string[]): Html[] =>
  names.map((name, i) => html`${i > 0 ? " or " : ""}<code>${name}</code>`);

function whoMay({ need, door }: ApiRoute): Html {
  const signed = door.takesSignatures ? html` A signed URL needs no token.` : undefined;
  if (!need) return html`Open to everybody.${signed}`;
  if (need.isOwn) return html`A person's session.`;
  const kinds = need.kinds.join(", ").replace(/, (\w+)$/, " or $1");
  const resource = need.resources.length > 0 ? html` with the resource ${oneOf(need.resources)}` : undefined;
  const access = isWrite(need) ? html`, and an access token` : undefined;
  return html`Needs ${/^[ai]/.test(kinds) ? "an" : "a"} ${kinds} token${resource}${access}.${signed}`;
}

// ---------------------------------------------------------------------------------------------- arguments

function argumentsHtml(route: ApiRoute): Html | undefined {
  const path = route.url.endsWith("*")
    ? [fieldHtml("path", { type: "string", description: "The path of the file below the uploads." }, true)]
    : [];
  const own = Object.entries(route.arguments).map(([name, schema]) => fieldHtml(name, schema, !isOptional(schema)));
  const sent = headerNames(route).map((name) => fieldHtml(name, { type: "header", description: headers[name] }, false));
  const all = [...path, ...own, ...sent];
  return all.length === 0 ? undefined : html`<h3>Arguments</h3><dl>${all}</dl>`;
}

type Described = {
  $id?: string;
  type?: string;
  description?: string;
  enum?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Described>;
  required?: string[];
  anyOf?: Described[];
  items?: Described;
};

/** `outer` are the named schemas around it: their fields are not listed again. */
function fieldHtml(
  name: string,
  schema: Described | TSchema,
  isRequired: boolean,
  outer: readonly string[] = [],
): Html {
  const described = schema as Described;
  const required = isRequired ? html` <em>required</em>` : undefined;
  const fields = fieldsOf(described, outer);
  const inner = fields && html`<details><summary>Its fields</summary><dl>${fields}</dl></details>`;
  return html`<dt><code>${name}</code> <span>${typeText(described)}</span>${required}</dt>
<dd>${proseHtml(described.description ?? "")}${inner}</dd>`;
}

function fieldsOf(schema: Described, outer: readonly string[]): Html[] | undefined {
  const object = objectIn(schema);
  if (!object?.properties || (object.$id && outer.includes(object.$id))) return undefined;
  const around = object.$id ? [...outer, object.$id] : outer;
  return Object.entries(object.properties).map(([name, field]) => fieldHtml(name, field, false, around));
}

/** The object schema that a schema is, has as items, or has as an alternative. */
function objectIn(schema: Described): Described | undefined {
  if (schema.properties && Object.keys(schema.properties).length > 0) return schema;
  if (schema.items) return objectIn(schema.items);
  return schema.anyOf?.map(objectIn).find((found) => found !== undefined);
}

const typeTexts: Record<string, string> = {
  array: "list",
  boolean: "true or false",
  header: "header",
  integer: "integer",
  object: "object",
  string: "text",
};

function typeText({ type, enum: values, format, minimum, maximum, anyOf }: Described): string {
  if (values) return values.join(" · ");
  if (format === "binary") return "file";
  if (minimum !== undefined) return `integer from ${minimum}${maximum === undefined ? "" : ` to ${maximum}`}`;
  if (anyOf?.some((one) => one.type === "array")) return "object or list";
  return typeTexts[type ?? ""] ?? "any JSON";
}

// ---------------------------------------------------------------------------------------------- answers

function answerHtml({ reply, replyForm: { type } }: ApiRoute): Html {
  if (type) return html`<h3>Answer</h3><p>The bytes, as <code>${type}</code>.</p>`;
  if (!reply) return html`<h3>Answer</h3><p>204, without a body.</p>`;
  const fields = fieldsOf(reply as Described, []);
  const { description = "" } = reply as Described;
  const told = fields && html`<details><summary>Its fields</summary><dl>${fields}</dl></details>`;
  return html`<h3>Answer</h3>${proseHtml(description)}${told}`;
}

function exampleHtml(route: ApiRoute, example: Example, reply: RecordedReply | undefined, base: string): Html {
  return html`<article>
<h3>${example.summary}</h3>
<pre><code>${curlLine(route, example, base)}</code></pre>
<p class="after"><a href="/docs/try#${encodeURIComponent(JSON.stringify(callOf(route, example)))}" target="octavo-try">Try it</a></p>
${reply && replyHtml(reply)}
</article>`;
}

/** The initial state of the page at /docs/try. */
function callOf({ method, url, need, replyForm }: ApiRoute, example: Example): object {
  const hasBody = method !== "GET" && !example.file;
  return {
    method,
    address: exampleAddress(method, url, example),
    needs: need ? (isWrite(need) ? 2 : 1) : 0,
    kind: need?.kinds[0],
    headers: example.headers,
    ...(hasBody ? { body: JSON.stringify(sentArguments(example), null, 2) } : {}),
    ...(example.file ? { fields: sentArguments(example) } : {}),
    ...(replyForm.type ? { isBytes: true } : {}),
  };
}

function replyHtml({ status, type, headers: told = {}, body }: RecordedReply): Html {
  const lines = Object.entries(told).map(([name, value]) => html`${name}: ${value}\n`);
  const shown =
    body === undefined ? html`${type ? `${type}, the bytes` : ""}` : jsonHtml(JSON.stringify(body, null, 2));
  return html`<pre class="reply"><code><b>${status}</b>
${lines}${shown}</code></pre>`;
}

/** A JSON text with its keys marked. */
function jsonHtml(text: string): Html {
  const pieces = text.split(/("(?:[^"\\]|\\.)*")(?=:)/);
  return new Html(pieces.map((piece, i) => (i % 2 ? html`<i>${piece}</i>` : html`${piece}`).text).join(""));
}

// ---------------------------------------------------------------------------------------------- problems

function problemsHtml(route: ApiRoute, { refusals }: Recorded): Html {
  const own = route.problems.map((code) => problemHtml(route, code, refusals[code]?.detail));
  const shared = sharedProblems(route.need);
  const others = shared.filter((code) => !route.problems.includes(code));
  const list = own.length > 0 ? html`<dl>${own}</dl>` : undefined;
  return html`<details class="problems"><summary>Problems</summary>
${list}
<p>As of every ${isWrite(route.need) ? "write" : "call"}: ${others.map(
    (code, i) => html`${i > 0 ? ", " : ""}<a href="${problemDocsPath}#${code}">${code}</a>`,
  )}.</p>
</details>`;
}

function problemHtml(route: ApiRoute, code: Code, detail: string | undefined): Html {
  const how = route.refused?.[code] ?? undefined;
  const answers = detail && html`<p>${detail}.</p>`;
  const call = how && proseHtml(`Answers ${callText(route, how)}`);
  return html`<dt><a href="${problemDocsPath}#${code}"><code>${code}</code></a> <span>${statusOf[rowOf(code).kind]}</span></dt>
<dd>${answers}${call}</dd>`;
}
