import { SignInThrottle } from "../core/http/throttle.ts";
import { localUrl } from "../core/lib/host.ts";
import { figure } from "../core/metric.ts";
import { nowSeconds, type Served, type Service } from "../service.ts";
import type { Settings } from "../settings.ts";
import { localesOf } from "../translation/locale.ts";
import { SmtpMailer } from "./mail/smtp.ts";
import { OidcIssuer } from "./oidc/issuer.ts";
import { oidcRoutes } from "./oidc-routes.ts";
import { Ceremonies, relyingPartyOf } from "./passkey-ceremony.ts";
import { PasskeyChallenges } from "./passkey-challenge.ts";
import { passkeyRoutes, passkeySignInRoutes } from "./passkey-routes.ts";
import { personRoutes } from "./person-routes.ts";
import { presenceRoutes } from "./presence-routes.ts";
import { roleRoutes } from "./role-routes.ts";
import { Sessions } from "./session-cookie-wire.ts";
import { sessionRoutes, signInRoutes } from "./session-routes.ts";
import { SignInLinks } from "./sign-in-links.ts";

/** People in a service: sessions, sign-in, and the servers of others that the settings name. */

/** The time of each of their answers. */
const answerSeconds = 10;

/** The issuer that people sign in with; undefined where the settings name none. */
export function issuerOf({ settings }: Service): OidcIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  if (issuer === "") return undefined;
  const roleClaim = settings.oidcRoleClaim;
  return new OidcIssuer({ issuer, clientId, clientSecret, roleClaim, timeoutSeconds: answerSeconds });
}

/** Undefined where the settings name none. */
function openMailer({ smtpUrl: url, publicUrl }: Settings): SmtpMailer | undefined {
  if (url === "") return undefined;
  const { hostname } = new URL(publicUrl ?? "http://localhost");
  return new SmtpMailer({ url, sender: `octavo@${hostname}`, timeoutMs: answerSeconds * 1000 });
}

/** The sessions of the admin page. */
export const sessionsOf = ({ settings, stores }: Service): Sessions =>
  new Sessions({
    signingKey: stores.signingKey,
    sessionHours: settings.adminSessionHours,
    maxPerToken: settings.adminSessionsMax,
    trashKeepDays: settings.trashKeepDays,
    uploadMaxBytes: settings.uploadMaxBytes,
    previewUrl: settings.previewUrl,
    siteUrl: settings.siteUrl,
    publicUrl: settings.publicUrl,
    hasMcp: settings.mcp === "on",
    locales: localesOf(settings)?.all ?? null,
    sessions: stores.sessions,
    tokens: stores.tokens,
    people: stores.people,
  });

/** The links that sign their opener in, while this process runs. */
export const signInLinksOf = (service: Service): SignInLinks =>
  new SignInLinks(() => service.settings.publicUrl ?? localUrl(service.url()));

const throttleOf = ({ settings }: Service): SignInThrottle => new SignInThrottle(settings.authFailuresPerMinute > 0);

const ceremoniesOf = ({ settings, stores, url }: Service): Ceremonies =>
  new Ceremonies({
    challenges: new PasskeyChallenges(stores.signingKey),
    relyingParty: () => relyingPartyOf(settings.publicUrl, url()),
  });

/** The host of the site, which a link names to who is invited. */
const siteOf = ({ siteUrl }: Settings): string | undefined =>
  URL.canParse(siteUrl) ? new URL(siteUrl).host : undefined;

export function servePeople(service: Service): Served {
  const { stores, settings } = service;
  return {
    api: [
      ...sessionRoutes(stores.sessions, stores.people),
      ...passkeyRoutes(stores, service.part(ceremoniesOf)),
      ...personRoutes(stores, {
        linkBase: () => service.part(signInLinksOf).base(),
        throttle: service.part(throttleOf),
        site: siteOf(settings),
        issuer: settings.oidcIssuer,
        mailer: openMailer(settings),
        onMailFailure: (error) => service.log.error("mail", error),
      }),
      ...roleRoutes(stores.roles, localesOf(settings)),
    ],
    others: settings.adminPage === "on" ? signIn(service) : [],
    figures: async () => figure("octavo_sessions", await stores.sessions.count(nowSeconds())),
  };
}

function signIn(service: Service) {
  const { stores, settings } = service;
  const sessions = service.part(sessionsOf);
  const links = service.part(signInLinksOf);
  const ways = {
    sessions,
    codes: service.companions.signInCodes ?? links,
    throttle: service.part(throttleOf),
    takesTokens: settings.tokenSignIn === "on",
    ceremonies: service.part(ceremoniesOf),
    site: siteOf(settings),
  };
  const oidc = oidcRoutes({
    issuer: service.part(issuerOf),
    sessions,
    people: stores.people,
    signingKey: stores.signingKey,
    publicUrl: settings.publicUrl,
    rules: { roleClaim: settings.oidcRoleClaim, trustsEmail: settings.oidcTrustEmail === "on" },
    base: () => links.base(),
    onFailure: (error) => service.log.error("oidc", error),
  });
  return [
    ...signInRoutes(stores, ways),
    ...passkeySignInRoutes(stores, ways),
    ...oidc,
    ...presenceRoutes(stores, sessions),
  ];
}
