import type { SettingsOf } from "../core/lib/setting.ts";
import { hourSeconds } from "../core/lib/time.ts";
import { shared } from "../core/metric.ts";
import { feature } from "../feature.ts";
import { peopleEvents } from "./events.ts";
import { peopleProblems } from "./problems.ts";
import { signInFaults, signInSettings } from "./settings.ts";

/** People, roles, passkeys, sessions, presence. */

const nouns = async () => ({
  sessions: (await import("./session-store.ts")).sessionNoun,
  presence: (await import("./presence-store.ts")).presenceNoun,
  roles: (await import("./role-store.ts")).roleNoun,
  people: (await import("./person-store.ts")).personNoun,
  passkeys: (await import("./passkey-store.ts")).passkeyNoun,
});

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof signInSettings> {}
}

export const peopleFeature = feature({
  name: "people",
  nouns,
  events: peopleEvents,
  problems: peopleProblems,
  settings: signInSettings,
  settingFaults: signInFaults,
  chores: [
    { name: "prune sessions", everySeconds: hourSeconds, run: ({ sessions }, _settings, now) => sessions.prune(now) },
  ],
  commands: async () => (await import("./command.ts")).peopleCommands,
  metrics: {
    octavo_sessions: shared("Sessions of the admin page that have not expired."),
  },
  paths: ["/api/people"],
  serve: async () => (await import("./service.ts")).servePeople,
});
