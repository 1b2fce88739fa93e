import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { formatTable, print, printJson } from "../cli/print.ts";
import { settingSources } from "../cli/setting-sources.ts";
import { type Finding, findingsOf } from "../core/finding.ts";
import { explainSettings, readSettings, retiredSentences, SettingsError } from "../settings.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check the settings, the folder, the database, the bucket and the proxy, and say what to do",
  details:
    "Run it as the service's user and with its settings, before the first start or beside a running service. It creates\n" +
    "and migrates nothing; in a bucket it writes, reads and deletes one small object. The exit code is 1 when there is a\n" +
    "fault; a warning may be meant that way. octavo verify checks the content.",
  takes: [],
  options: { json: jsonOption },
  examples: ["octavo doctor", "octavo doctor --data /var/lib/octavo", "octavo doctor --json"],
  run: doctor,
};

async function doctor(call: CommandCall): Promise<void> {
  const findings = await examineAll(call);
  const faults = findings.filter(({ state }) => state === "fault").length;
  if (call.switches.has("json")) printJson(call, { ok: faults === 0, findings });
  else print(call, formatTable(findings.map(({ check, state, text }) => [state, check, text])));
  if (faults > 0) throw new CommandError(`${faults === 1 ? "there is one fault" : `there are ${faults} faults`}`);
}

/** Without valid settings nothing else can be looked at. */
async function examineAll(call: CommandCall): Promise<Finding[]> {
  const { ok, warning, fault } = findingsOf("settings");
  try {
    const sources = settingSources(call);
    const set = explainSettings(sources).filter(({ from }) => from !== "default").length;
    const retired = retiredSentences(sources).map(warning);
    const { examine } = await import("./doctor-service.ts");
    return [
      ok(`all are valid; ${set} set, the others have their defaults`),
      ...retired,
      ...(await examine(readSettings(sources))),
    ];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(fault);
    if (error instanceof UsageError) return [fault(error.message)];
    throw error;
  }
}
