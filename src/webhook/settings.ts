import { choice } from "../core/lib/setting.ts";

/** The settings of webhooks. */

/** Webhooks. */
export const webhookSettings = {
  webhook_private: choice(["on", "off"], {
    default: "off",
    help: "Whether webhooks may go to addresses of private networks, and of this machine, there also without TLS.",
  }),
};
