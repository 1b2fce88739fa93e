import { isWrite } from "../src/core/http/auth.ts";
import type { Route } from "../src/core/http/route.ts";
import type { ApiRoute } from "./api.ts";
import {
  accessTokenName,
  type Example,
  exampleAddress,
  exampleKind,
  type Given,
  needOf,
  sampleGroup,
  samplePersonId,
  samplePreviewId,
  sampleReleaseId,
  sampleSessionId,
  sampleTokenId,
  sampleTrashId,
  sampleViewId,
  sampleWebhookId,
  sentArguments,
  tokenName,
} from "./example.ts";

/**
 * An example as commands for a POSIX shell that work as pasted on a fresh sample site; the tokens are in the variables
 * that the introduction of the reference names. The commands create first whatever the example needs.
 */
export function curlLine(route: ApiRoute, example: Example, base: string): string {
  const found = new Set<(typeof sampleIds)[number]>();
  /** Looks up the ids of a call that no call before it has. */
  const finds = (call: Example | Given): string[] => {
    const text = JSON.stringify(sentArguments(call));
    const needed = sampleIds.filter((one) => text.includes(one.text) && !found.has(one));
    for (const one of needed) found.add(one);
    return needed.map((one) => findId(one, base));
  };
  const given = (example.given ?? []).flatMap((call) => [
    ...finds(call),
    command({ ...call, need: needOf(call) }, call, base),
  ]);
  const first = [...given, ...finds(example)];
  const call = command(route, example, base, route.replyForm.type);
  return first.length === 0 ? call : ["# First:", ...first, call].join("\n");
}

/** Ids that the store generates: a command looks up the first one in a list that fits. */
const sampleIds = [
  { id: samplePreviewId, variable: "PREVIEW_ID", list: "/api/tokens/preview", fits: '"id":"[^"]*"' },
  { id: sampleTokenId, variable: "TOKEN_ID", list: "/api/tokens", fits: '"id":"[^"]*","kind":"delivery"' },
  { id: sampleSessionId, variable: "SESSION_ID", list: "/api/sessions", fits: '"id":"[^"]*"' },
  { id: samplePersonId, variable: "PERSON_ID", list: "/api/people", fits: '"id":"[^"]*"' },
  { id: sampleWebhookId, variable: "WEBHOOK_ID", list: "/api/webhooks", fits: '"id":"[^"]*"' },
  { id: sampleReleaseId, variable: "RELEASE_ID", list: "/api/releases", fits: '"id":"[^"]*"' },
  { id: sampleViewId, variable: "VIEW_ID", list: "/api/views", fits: '"id":"[^"]*"', isOwn: true },
  { id: sampleTrashId, variable: "TRASH_ID", list: "/api/trash", fits: '"id":[0-9]*' },
  {
    id: sampleGroup,
    name: "group",
    variable: "GROUP",
    list: "/api/events?newest=true&limit=1",
    fits: '"sequence":[0-9]*',
  },
]
  .map((one) => ({ isOwn: false, name: "id", ...one }))
  .map((one) => ({ ...one, ...sampleText(one) }));

/** A number is recognised by its name, too, and cut out of its list in another way than a text. */
function sampleText({ id, name }: { id: string | number; name: string }) {
  return typeof id === "number"
    ? { text: `"${name}":${id}`, before: `"${name}":`, take: "cut -d : -f 2" }
    : { text: id, before: "", take: `cut -d '"' -f 4` };
}

const findId = ({ variable, list, fits, take, isOwn }: (typeof sampleIds)[number], base: string): string =>
  `${variable}=$(curl -s ${quote(base + list)} ${isOwn ? sessionCookie : `-H "Authorization: Bearer $${tokenName.management}"`} \\\n` +
  `  | grep -o ${quote(fits)} | head -n 1 | ${take})`;

type Called = Pick<Route, "method" | "url" | "need">;

function command({ method, url, need }: Called, sent: Example | Given, base: string, replyType?: string): string {
  const address = base + exampleAddress(method, url, sent);
  const lines = [
    `${fileInput(sent)}curl ${address.includes("[") ? "-g " : ""}${method === "GET" ? "" : `-X ${method} `}${withIds(quote(address))}`,
    ...(need?.isOwn ? [sessionCookie] : []),
    ...(need?.isOwn === "write" ? [`-H "X-CSRF-Token: $${csrfName}"`] : []),
    ...(need && !need.isOwn ? [`-H "Authorization: Bearer $${tokenName[exampleKind(need)]}"`] : []),
    ...(isWrite(need) ? [`-H "X-Access-Token: $${accessTokenName}"`] : []),
    ...Object.entries(sent.headers ?? {}).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(method === "GET" ? [] : bodyOptions(sent)),
    ...(replyType ? [`-o ${quote(sent.path?.split("/").at(-1) ?? "file")}`] : []),
  ];
  return lines.join(" \\\n  ");
}

/** The bytes of the example's file inline, so that no file has to exist in the folder. */
function fileInput({ file }: Example | Given): string {
  if (!file) return "";
  const text = String(file.content).replaceAll("\\", "\\\\").replaceAll("%", "%%").replaceAll("\n", "\\n");
  return `printf ${quote(text)} | `;
}

function bodyOptions(sent: Example | Given): string[] {
  const args = sentArguments(sent);
  if (sent.file) {
    const fields = Object.entries(args).map(([name, value]) => `-F ${quote(`${name}=${value}`)}`);
    return [...fields, `-F ${quote(`file=@-;filename=${sent.file.name}`)}`];
  }
  const hasType = Object.keys(sent.headers ?? {}).includes("Content-Type");
  return [...(hasType ? [] : ["-H 'Content-Type: application/json'"]), `-d ${withIds(quote(JSON.stringify(args)))}`];
}

/** A quoted text with the variables in place of the ids. */
function withIds(quoted: string): string {
  let text = quoted;
  for (const { text: id, before, variable } of sampleIds) text = text.replaceAll(id, `${before}'"$${variable}"'`);
  return text;
}

/** The session of a person, which a browser has. */
const csrfName = "CSRF_TOKEN";
const sessionCookie = '-b "octavo_session=$SESSION_COOKIE"';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
