import { type Command, type CommandCall, CommandError, jsonOption } from "../cli/command.ts";
import { print, printJson } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { askHealth, ownUrl, silenceOf } from "./probe-service.ts";

export const healthCommand: Command = {
  name: "health",
  summary: "Ask the running service whether it accepts requests",
  details:
    "Asks /health/ready at the address of the settings. The exit code is 0 when the service is well, and 1 when it is not,\n" +
    "or does not answer within five seconds. For the HEALTHCHECK of a container.",
  takes: [],
  options: {
    live: { help: "Ask /health/live: whether the process answers, whatever its database and bucket do." },
    json: jsonOption,
  },
  examples: ["octavo health", "octavo health --live", "octavo health --port 9000 --json"],
  run: health,
};

const timeoutMs = 5000;

async function health(call: CommandCall): Promise<void> {
  const url = ownUrl(callSettings(call));
  if (url === undefined) throw new CommandError("the port is 0, any free one; name the one in use with --port");
  const asked = `${url}/health/${call.switches.has("live") ? "live" : "ready"}`;
  const { isWell, isOwn, reason } = await askHealth(asked, timeoutMs).catch((error: unknown) => {
    throw new CommandError(`no service answers at ${url}: ${silenceOf(error)}`);
  });
  if (!isWell) throw new CommandError(isOwn ? `the service is not ready: ${reason}` : `no Octavo at ${url}: ${reason}`);
  if (call.switches.has("json")) printJson(call, { status: "ok", url });
  else print(call, `ok: ${asked}`);
}
