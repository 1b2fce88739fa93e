import type { Settings } from "../settings.ts";
import { SmtpMailer } from "./mail/smtp.ts";
import { OidcIssuer } from "./oidc/issuer.ts";

/** The servers of others that the settings name. */

/** The time of each of their answers. */
const answerSeconds = 10;

/** Undefined where the settings name none. */
export function openIssuer(settings: Settings): OidcIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  if (issuer === "") return undefined;
  const roleClaim = settings.oidcRoleClaim;
  return new OidcIssuer({ issuer, clientId, clientSecret, roleClaim, timeoutSeconds: answerSeconds });
}

/** Undefined where the settings name none. */
export function openMailer({ smtpUrl: url, publicUrl }: Settings): SmtpMailer | undefined {
  if (url === "") return undefined;
  const { hostname } = new URL(publicUrl ?? "http://localhost");
  return new SmtpMailer({ url, sender: `octavo@${hostname}`, timeoutMs: answerSeconds * 1000 });
}
