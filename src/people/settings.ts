import { isLoopback } from "../core/lib/host.ts";
import { choice, isSet, type SettingStates, text, togetherFaults } from "../core/lib/setting.ts";

/** The settings of sign-in. */

/** Sign-in by an issuer (OpenID Connect), and mail. */
export const signInSettings = {
  oidc_issuer: text({
    default: "",
    isText: isIssuer,
    accepted: "an https address without user, query and fragment; http only on 127.0.0.1, ::1 and localhost",
    help: "Issuer of OpenID Connect that people sign in with, as it names itself: `iss` of its tokens. Its description is read at `/.well-known/openid-configuration` below it; the redirect address to register there is `/admin/session/oidc/back` below public_url.",
  }),
  oidc_client_id: text({ default: "", help: "Id of this service as the issuer's client." }),
  oidc_client_secret: text({ default: "", secret: true, help: "Secret of that client." }),
  oidc_role_claim: text({
    default: "",
    pattern: /^\S{1,200}$/,
    accepted: "the name of a claim, or a path as realm_access.roles",
    help: "Claim of the issuer that names a person's role; of a list, the first that is one. It is read at each sign-in, and wins over the role given here.",
  }),
  oidc_trust_email: choice(["on", "off"], {
    default: "off",
    help: "Whether every email address of the issuer counts as verified, for those that do not say `email_verified`, as Entra ID and Authentik. Only for an issuer at which nobody can set an address that is not theirs: it binds whoever comes with the address of an open invitation.",
  }),
  smtp_url: text({
    default: "",
    secret: true,
    isText: isMailServer,
    accepted: "an address as smtps://user:password@mail.example.org:465?from=octavo@example.org",
    help: "Mail server that sends invitations and resets; without it their links are shown to copy. smtps:// is TLS from the start; smtp:// takes TLS where it is offered, and needs it for a password, except on this machine. `from` is the sender's address; by default the user if that is one.",
  }),
};

const issuerNames = ["oidc_issuer", "oidc_client_id", "oidc_client_secret"] as const;

/** An issuer needs all three of them, and what is said of its claims an issuer. */
export function signInFaults(states: SettingStates): string[] {
  const together = togetherFaults(states, issuerNames);
  const areThere = issuerNames.some((name) => isSet(states, name));
  const beside = ["oidc_role_claim", "oidc_trust_email"].filter((name) => isSet(states, name));
  if (areThere) return together;
  return beside.map((name) => `oidc_issuer: it is not set; expected it beside ${name}`);
}

/** The identifier of an issuer (OpenID Connect Discovery 1.0 §3). It is compared as it is, so nothing is normalised. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#@\s]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https:\/\/./i.test(text) || (protocol === "http:" && /^http:\/\//i.test(text) && isLoopback(hostname));
}

function isMailServer(text: string): boolean {
  if (!/^smtps?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, hash, searchParams } = new URL(text);
  const isBare = hostname !== "" && hash === "" && (pathname === "" || pathname === "/");
  return isBare && [...searchParams].every(([name, value]) => name === "from" && value.includes("@"));
}
