import { silenceOf } from "../health/probe-service.ts";
import type { Ask } from "../operator.ts";
import { type CommandCall, CommandError, type Option, UsageError } from "./command.ts";

/** Commands that speak to a service over HTTP, with the tokens of two variables. */

export const urlOption: Option = {
  value: "URL",
  help: "The address of a service, which is called in place of the store.",
};

/** An address as the command line has it, without a slash at its end. Throws UsageError. */
export function parseServiceUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, "");
  throw new UsageError(`--url was "${url}"; expected an http or https address, as https://cms.example.org`);
}

type Env = CommandCall["io"]["env"];

/** The headers of the tokens that there are. */
export const tokenHeaders = ({
  OCTAVO_TOKEN: token,
  OCTAVO_ACCESS_TOKEN: accessToken,
}: Env): Record<string, string> => ({
  ...(token && { Authorization: `Bearer ${token}` }),
  ...(accessToken && { "X-Access-Token": accessToken }),
});

/** Asks the service at this address. Rejects with CommandError when nothing answers. */
export function askService(url: string, env: Env): Ask {
  return async ({ method, url: path, body, ifMatch }) => {
    const headers = {
      ...tokenHeaders(env),
      ...(body && { "Content-Type": body.type }),
      ...(ifMatch !== undefined && { "If-Match": ifMatch }),
    };
    // Tokens go nowhere else.
    const options: RequestInit = { method, headers, redirect: "error", ...(body && { body: body.text }) };
    const reply = await fetch(`${url}${path}`, options).catch((error: unknown) => {
      throw new CommandError(`no service answers at ${url}: ${silenceOf(error)}`);
    });
    return { status: reply.status, headers: [...reply.headers], body: new Uint8Array(await reply.arrayBuffer()) };
  };
}
