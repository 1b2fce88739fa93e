import { say } from "../language/say.ts";

/** Passkeys as browsers have them. Options and answers are the JSON forms of WebAuthn Level 3. */

/** Whether this browser has passkeys for this page: not at an IP address, and only with TLS or on localhost. */
export function hasPasskeys(): boolean {
  const isAddress = /^(?:\[|[\d.]+$)/.test(location.hostname);
  const isKnown = "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;
  return isSecureContext && isKnown && !isAddress;
}

/** Lets the user make a passkey; what the service takes of it. Throws an Error with a sentence for the user. */
export const makePasskey = (options: object): Promise<object> =>
  spoken(() => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  });

/** Lets the user choose a passkey, and proves that it is there. Throws as makePasskey does. */
export const provePasskey = (options: object): Promise<object> =>
  spoken(() => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
    return navigator.credentials.get({ publicKey });
  });

async function spoken(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (cause) {
    const name = cause instanceof DOMException ? cause.name : "";
    throw new Error(
      sentences[name] ??
        say("The browser refused: {reason}", { reason: cause instanceof Error ? cause.message : String(cause) }),
      {
        cause,
      },
    );
  }
}

/** By the name of what browsers throw. */
const sentences: Record<string, string> = {
  // Browsers do not tell these apart, so that pages learn nothing.
  NotAllowedError: say("No passkey was used: it was cancelled, took too long, or there is none for this page"),
  InvalidStateError: say("This device has a passkey of yours already"),
  SecurityError: say(
    "This page is at another address than the service's passkeys: open it at the address of public_url",
  ),
};
