import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { problem } from "../problem.ts";

/** A host name or address with or without a port, as in a URL (RFC 3986 §3.2.2), without user info and escapes. */
const hostForm = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** The client's address and the host it used, behind proxies: X-Forwarded-* counts from trusted proxies only. */
export class Proxies {
  private readonly trusted = new BlockList();
  private readonly areThere: boolean;

  /** `blocks`: IP addresses and CIDR blocks. */
  constructor(blocks: readonly string[]) {
    this.areThere = blocks.length > 0;
    for (const block of blocks) {
      const [address = "", bits] = block.split("/");
      const family = familyOf(address);
      if (bits === undefined) this.trusted.addAddress(address, family);
      else this.trusted.addSubnet(address, Number(bits), family);
    }
  }

  /** The client's address: the last one in X-Forwarded-For that is not a trusted proxy's. */
  addressOf({ socket, headers }: IncomingMessage): string {
    let address = socket.remoteAddress ?? "";
    if (!this.areThere) return address;
    const forwarded = textOf(headers["x-forwarded-for"])?.split(",") ?? [];
    while (this.isTrusted(address)) {
      const before = forwarded.pop();
      if (before === undefined) break;
      address = withoutPort(before.trim());
    }
    return address;
  }

  /** Scheme and host as the client used them, `http://localhost:8080`. Throws host_invalid. Contract §5. */
  originOf({ socket, headers }: IncomingMessage): string {
    const isForwarded = this.areThere && this.isTrusted(socket.remoteAddress ?? "");
    const forwarded = (name: "x-forwarded-host" | "x-forwarded-proto") =>
      isForwarded ? lastOf(textOf(headers[name])) : undefined;
    const host = forwarded("x-forwarded-host") ?? headers.host ?? "";
    const port = Number(/:(\d+)$/.exec(host)?.[1] ?? 0);
    if (!hostForm.test(host) || port > 65_535) throw problem("host_invalid", { received: host });
    return `${forwarded("x-forwarded-proto") === "https" ? "https" : "http"}://${host}`;
  }

  private isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.trusted.check(address, familyOf(address));
  }
}

/** Only HTTP/1.0 may omit Host; Node joins several with commas, which no host contains. RFC 9112 §3.2. */
export const namesOneHost = ({ headers: { host }, httpVersion }: IncomingMessage): boolean =>
  host === undefined ? httpVersion === "1.0" : !host.includes(",");

/** Some proxies write the client's port, too, which is another one for each connection. */
const withoutPort = (address: string): string =>
  (/^\[(.+)\](?::\d+)?$/.exec(address) ?? /^([\d.]+):\d+$/.exec(address))?.[1] ?? address;
const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");
const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header || undefined;
const lastOf = (list: string | undefined): string | undefined => list?.slice(list.lastIndexOf(",") + 1).trim();
