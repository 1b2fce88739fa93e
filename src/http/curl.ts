import { accessTokenName, type Example, exampleAddress, exampleKind, sentArguments, tokenName } from "./example.ts";
import type { ApiRoute } from "./route.ts";

/** An example as a curl command for a POSIX shell, the tokens in variables: MANAGEMENT_TOKEN and its fellows. */
export function curlLine(route: ApiRoute, example: Example, base: string): string {
  const { method, need } = route;
  const address = base + exampleAddress(method, route.url, example);
  const lines = [
    `curl ${address.includes("[") ? "-g " : ""}${method === "GET" ? "" : `-X ${method} `}${quote(address)}`,
    ...(need ? [`-H "Authorization: Bearer $${tokenName[exampleKind(need)]}"`] : []),
    ...(need?.isWrite ? [`-H "X-Access-Token: $${accessTokenName}"`] : []),
    ...Object.entries(example.headers ?? {}).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(method === "GET" ? [] : bodyOptions(example)),
    ...(route.replyType ? [`-o ${quote(example.path?.split("/").at(-1) ?? "file")}`] : []),
  ];
  return lines.join(" \\\n  ");
}

function bodyOptions(example: Example): string[] {
  const sent = sentArguments(example);
  if (example.file) {
    const fields = Object.entries(sent).map(([name, value]) => `-F ${quote(`${name}=${value}`)}`);
    return [...fields, `-F ${quote(`file=@${example.file.name}`)}`];
  }
  const hasType = Object.keys(example.headers ?? {}).includes("Content-Type");
  return [...(hasType ? [] : ["-H 'Content-Type: application/json'"]), `-d ${quote(JSON.stringify(sent))}`];
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
