import { choice, integer } from "../core/lib/setting.ts";

/** The settings of the admin page. */

/** The admin page. */
export const pageSettings = {
  admin_page: choice(["on", "off"], { default: "on", help: "Whether the admin page is served at /admin." }),
  admin_session_hours: integer({
    default: 12,
    min: 1,
    max: 720,
    unit: "hours",
    help: "Lifetime of a session of the admin page.",
  }),
  admin_sessions_max: integer({
    default: 50,
    min: 1,
    max: 10_000,
    help: "Maximum number of live sessions of one person or one management token; a further one ends the oldest.",
  }),
  token_sign_in: choice(["on", "off"], {
    default: "on",
    help: "Whether a management and an access token, and a sign-in link without a person, sign in to the admin page beside people.",
  }),
};
