import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { atEnd } from "./ending.ts";

/** A real SMTP server on this machine. */

export type Received = { from: string; to: string[]; user: string | undefined; isSecure: boolean; text: string };

export type MailServer = {
  port: number;
  received: Received[];
  /** Refuses recipients from now on, or no more. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
};

/** Starts one that takes every mail; it ends with the file. `hasTls`: it offers STARTTLS. */
export async function startMailServer({ hasTls = false, password = "" } = {}): Promise<MailServer> {
  const received: Received[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    authOptional: password === "",
    allowInsecureAuth: true,
    disabledCommands: hasTls ? [] : ["STARTTLS"],
    logger: false,
    onAuth: (auth, _, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error("Invalid password")),
    onRcptTo: (_, __, done) => done(isRefusing ? new Error("No such mailbox") : undefined),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isSecure: session.secure,
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(resolve));
  atEnd(close);
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    refuse: (isOn) => {
      isRefusing = isOn;
    },
    close,
  };
}
