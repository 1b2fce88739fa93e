import { isProblem, Problem } from "../core/problem.ts";
import type { Ask } from "../operator.ts";
import type { CommandCall } from "./command.ts";
import { Refusal, refuse } from "./refusal.ts";
import { askService, parseServiceUrl } from "./remote.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";
import { version } from "./version.ts";

/**
 * Does the work with the API: over the store of the settings, as the operator and without tokens, or over HTTP with that
 * of the service of `--url`. Each answer is one that was accepted; a refusal rejects with Refusal, in the same words both
 * ways. Rejects with UsageError for a token that no variable has, with CommandError where no service answers.
 */
export async function withAsk<T>(call: CommandCall, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { url } = call.options;
  if (url !== undefined) return work(acceptedBy(parseServiceUrl(url), call.io.env));
  const settings = callSettings(call);
  return withExistingStores(settings, async (stores) => {
    const { askRoute } = await import("../operator.ts");
    const ask = askRoute(stores, settings);
    return work((request) => ask(request).catch(asRefusal));
  });
}

function acceptedBy(service: string, env: CommandCall["io"]["env"]): Ask {
  const ask = askService(service, env);
  return async (request) => {
    const reply = await ask(request);
    if (reply.status >= 400) await refuse(reply, service).catch(withVersion);
    return reply;
  };
}

/** What a service refuses that does not know the call of a newer command. */
const unknownCalls = ["route_not_found", "method_not_allowed", "argument_unknown"];

function withVersion(error: unknown): never {
  if (!(error instanceof Refusal) || !unknownCalls.includes(error.code ?? "")) throw error;
  const hint = `the service may be older than this command, which is of version ${version}`;
  throw new Refusal(`${error.message}; ${hint}`, error.code, error.operation);
}

/** Damage, and what has a cause, is told in the words of this machine. */
async function asRefusal(error: unknown): Promise<never> {
  if (!(error instanceof Problem) || error.cause !== undefined || isProblem(error, "store_damaged")) throw error;
  const { refusalOf } = await import("../operator.ts");
  return refuse(refusalOf(error));
}
