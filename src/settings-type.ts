import type { bucketSettings } from "./core/bytes/settings.ts";
import type { networkSettings, refusalSettings, replySettings } from "./core/http/settings.ts";
import type { SettingsOf } from "./core/lib/setting.ts";
import type { storageSettings } from "./core/sql/settings.ts";

type CoreSettings = SettingsOf<
  typeof networkSettings &
    typeof storageSettings &
    typeof bucketSettings &
    typeof replySettings &
    typeof refusalSettings
>;

/** All settings, by their names in camel case; frozen. Each feature adds its own. */
export interface Settings extends CoreSettings {}
