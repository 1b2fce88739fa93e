import type { SettingsOf } from "../core/lib/setting.ts";
import { hourSeconds } from "../core/lib/time.ts";
import { shared } from "../core/metric.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { peopleEvents } from "./events.ts";
import type { passkeyNoun } from "./passkey-store.ts";
import type { personNoun } from "./person-store.ts";
import type { presenceNoun } from "./presence-store.ts";
import { peopleProblems } from "./problems.ts";
import type { roleNoun } from "./role-store.ts";
import type { sessionNoun } from "./session-store.ts";
import { signInFaults, signInSettings } from "./settings.ts";

/** People, roles, passkeys, sessions, presence. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    sessions: PortOf<typeof sessionNoun>;
    presence: PortOf<typeof presenceNoun>;
    roles: PortOf<typeof roleNoun>;
    people: PortOf<typeof personNoun>;
    passkeys: PortOf<typeof passkeyNoun>;
  }
}

type SignInSettings = SettingsOf<typeof signInSettings>;
declare module "../settings-type.ts" {
  interface Settings extends SignInSettings {}
}

export const peopleFeature = feature({
  name: "people",
  nouns: async () => ({
    sessions: (await import("./session-store.ts")).sessionNoun,
    presence: (await import("./presence-store.ts")).presenceNoun,
    roles: (await import("./role-store.ts")).roleNoun,
    people: (await import("./person-store.ts")).personNoun,
    passkeys: (await import("./passkey-store.ts")).passkeyNoun,
  }),
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
