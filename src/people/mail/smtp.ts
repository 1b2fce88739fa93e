import type { Transporter } from "nodemailer";
import { isLoopback } from "../../core/lib/host.ts";
import type { Mail, Mailer } from "../mail.ts";

export type SmtpOptions = {
  /** `smtp://` or `smtps://`, with the user, the password and the sender if there are any. */
  url: string;
  /** The sender's address where the URL has none. */
  sender: string;
  timeoutMs: number;
};

/** Mail over SMTP. The library is loaded with the first mail. Contract, part three, §19. */
export class SmtpMailer implements Mailer {
  private readonly options: SmtpOptions;
  private opened: Promise<Transporter> | undefined;

  constructor(options: SmtpOptions) {
    this.options = options;
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    this.opened ??= this.open();
    const transport = await this.opened;
    const from = senderOf(this.options);
    // An object: a text is read as a list of addresses, and this one may have a comma in it.
    await transport.sendMail({
      from: { name: "Octavo", address: from },
      to: { name: "", address: to },
      // Nobody is to answer it by a machine. RFC 3834 §5.
      headers: { "Auto-Submitted": "auto-generated" },
      subject,
      text,
    });
  }

  private async open(): Promise<Transporter> {
    const { createTransport } = await import("nodemailer");
    const { timeoutMs } = this.options;
    const { protocol, hostname, port, username, password } = new URL(this.options.url);
    const isSecure = protocol === "smtps:";
    const auth = username === "" ? undefined : { user: decoded(username), pass: decoded(password) };
    return createTransport({
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: port === "" ? (isSecure ? 465 : 587) : Number(port),
      secure: isSecure,
      // A password is not sent in the clear, also where somebody on the way hides that the server has TLS.
      requireTLS: !isSecure && auth !== undefined && !isLoopback(hostname),
      ...(auth && { auth }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}

function senderOf({ url, sender }: SmtpOptions): string {
  const { searchParams, username } = new URL(url);
  const user = decoded(username);
  return searchParams.get("from") ?? (user.includes("@") ? user : sender);
}

/** A percent sign that encodes nothing is one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
