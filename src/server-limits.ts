import { requestLimits } from "./core/http/limit.ts";
import type { Settings } from "./settings.ts";

/** What bounds requests, replies and uploads, from the settings. */

export const serverLimits = (settings: Settings) => ({
  corsOrigins: settings.corsOrigin,
  trustProxy: settings.trustProxy,
  authFailuresPerMinute: settings.authFailuresPerMinute,
  limits: requestLimits(settings.limitToken, settings.limitAddress),
  keepsAddresses: settings.auditAddresses === "on",
  requestTimeoutMs: settings.requestTimeoutSeconds * 1000,
  replies: { maxBytes: settings.sendMaxBytes, maxConnectionBytes: settings.sendConnectionMaxBytes },
  downloads: { maxBytes: settings.sendDownloadMaxBytes, maxConnectionBytes: settings.sendConnectionMaxBytes },
  sendTimeoutMs: settings.sendTimeoutSeconds * 1000,
});

export const uploadLimits = (settings: Settings) => ({
  maxUploadBytes: settings.uploadMaxBytes,
  maxSpools: settings.uploadSpools,
  maxSpoolBytes: settings.uploadSpoolBytes,
  leastSpoolBytesPerSecond: settings.uploadSpoolRateBytes,
  maxSpoolMs: settings.uploadSpoolSeconds * 1000,
  idleMs: settings.uploadIdleSeconds * 1000,
});
