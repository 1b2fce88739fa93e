import type { SettingsOf } from "../core/lib/setting.ts";
import { hourSeconds } from "../core/lib/time.ts";
import { shared } from "../core/metric.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { peopleEvents } from "./events.ts";
import { passkeyNoun } from "./passkey-store.ts";
import { personNoun } from "./person-store.ts";
import { presenceNoun } from "./presence-store.ts";
import { peopleProblems } from "./problems.ts";
import { roleNoun } from "./role-store.ts";
import { sessionNoun } from "./session-store.ts";
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
  nouns: { sessions: sessionNoun, presence: presenceNoun, roles: roleNoun, people: personNoun, passkeys: passkeyNoun },
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
