import { randomUUID } from "node:crypto";
import { hashSecret, type TokenStore } from "../core/access/token.ts";
import { type Authenticated, authenticate, type Limit, type Need } from "../core/http/auth.ts";
import type { Call, RequestHead } from "../core/http/call.ts";
import { doorWith } from "../core/http/door.ts";
import { type Answer, data } from "../core/http/reply.ts";
import { inAddress, type Route, route } from "../core/http/route.ts";
import { type IdempotencyStore, KeptUnit } from "../core/idempotency.ts";
import { Type } from "../core/lib/json-schema.ts";
import { Problem } from "../core/problem.ts";
import { uploadArguments } from "../file/routes.ts";
import { Seal } from "../people/seal.ts";
import { problem } from "./problems.ts";

/**
 * Addresses that take one upload, once, for the tokens that asked for it, without their secrets: an agent hands one to
 * whatever has the bytes. Contract, part three, §18; decision 76.
 *
 * An address has all that it stands for, sealed: every node reads it, and no row exists that nobody uses. That it was used
 * is a row of the transaction that makes the file: it takes no second one after a crash either.
 */

const lifeSeconds = 600;
const url = "/mcp/upload";

/** What an address stands for. The tokens are hashes, by which they are found: a token with a new secret is another one. */
type Link = {
  token: string;
  accessToken: string;
  /** Arguments of the upload, by their names on the wire. */
  fields: Record<string, string>;
  expiresAt: number;
  /** Under which its use is kept. */
  key: string;
};

export type UploadLinkStores = { tokens: TokenStore; idempotency: IdempotencyStore; signingKey: string };

/** The route that makes an address, for the tool `upload_link`, and the one that is at the address. */
export function uploadLinkRoutes(
  upload: Route,
  stores: UploadLinkStores,
  publicUrl?: string,
): { make: Route; take: Route } {
  const links = new UploadLinks(upload, stores, publicUrl);
  const { folder, onConflict, file } = uploadArguments;
  const texts = { title: textOf("title"), description: textOf("description") };
  return {
    make: route({
      method: "POST",
      url: "/mcp/upload-link",
      summary: "Make an address for one upload",
      need: upload.need as Need,
      arguments: { folder, onConflict, ...texts },
      problems: [],
      handle: (call, { folder }) => links.make(call, folder),
    }),
    take: route({
      method: "POST",
      url,
      summary: "Upload one file to an address that was made for it",
      door: doorWith({
        senderOf: (head, _need, _sent, limit) => links.senderOf(head, limit),
        isKnownBy: () => true,
      }),
      body: "form",
      arguments: { code: inAddress(Type.Optional(Type.String())), file, ...texts },
      problems: ["upload_link_invalid"],
      handle: (call) => links.take(call),
    }),
  };
}

/** Short enough for an address. */
const textOf = (what: string) =>
  Type.Optional(Type.String({ maxLength: 500, description: `The ${what} of the file, at most 500 characters.` }));

class UploadLinks {
  private readonly upload: Route;
  private readonly stores: UploadLinkStores;
  private readonly publicUrl: string | undefined;
  private readonly seal: Seal;

  constructor(upload: Route, stores: UploadLinkStores, publicUrl: string | undefined) {
    this.upload = upload;
    this.stores = stores;
    this.publicUrl = publicUrl;
    this.seal = new Seal(stores.signingKey, "octavo upload link");
  }

  make(call: Call, folder: string): Answer {
    const { token = "", accessToken = "" } = call.credentials ?? {};
    const expiresAt = call.nowSeconds + lifeSeconds;
    const hashes = { token: hashSecret(token), accessToken: hashSecret(accessToken) };
    // Texts all of them: they were read.
    const fields = Object.fromEntries([...call.body.arguments, ["folder", folder]]) as Record<string, string>;
    const link: Link = { ...hashes, fields, expiresAt, key: `upload_link:${randomUUID()}` };
    const base = this.publicUrl ?? call.origin();
    const address = `${base}${url}?code=${this.seal.seal(JSON.stringify(link))}`;
    const example = `curl -F file=@picture.jpg '${address}'`;
    const path = `${folder === "" ? "" : `${folder}/`}{filename}`;
    return data(JSON.stringify({ url: address, method: "POST", field: "file", expires_at: expiresAt, path, example }));
  }

  /** The tokens of the address, with what they may do now. Throws upload_link_invalid, and what limits their calls. */
  async senderOf(head: RequestHead, limit: Limit | undefined): Promise<Authenticated> {
    const { token, accessToken, key } = this.open(head);
    const sender = await this.admit({ token, accessToken }, head.nowSeconds, limit);
    await this.refuseUsed(sender, key, head.nowSeconds);
    return sender;
  }

  /** Makes the file, and keeps in the same transaction that the address was used. */
  async take(call: Call): Promise<Answer> {
    const { fields, key } = this.open(call);
    const names = ["file", "title", "description"];
    const argument = ["token", "access_token"].find((name) => call.body.arguments.has(name));
    // The address stands for its own tokens: others would be sent for nothing.
    if (argument !== undefined) throw problem("argument_unknown", { argument, near: undefined, names });
    const { idempotency } = this.stores;
    const token = call.token?.id as string;
    const release = await idempotency.claim(token, key);
    if (!release) throw problem("upload_link_invalid");
    try {
      await this.refuseUsed(call, key, call.nowSeconds);
      const unit = new KeptUnit(idempotency, { token, key, request: "", nowSeconds: call.nowSeconds });
      const own = new Map([...call.body.arguments, ...Object.entries(fields)]);
      const uploading: Call = { ...call, unit, body: { ...call.body, arguments: own } };
      return (await this.upload.handle(uploading, this.upload.read(uploading))) as Answer;
    } finally {
      await release();
    }
  }

  private open({ query, nowSeconds }: RequestHead): Link {
    const code = query.get("code");
    const text = typeof code === "string" ? this.seal.open(code) : undefined;
    const link = text === undefined ? undefined : (JSON.parse(text) as Link);
    if (!link || link.expiresAt <= nowSeconds) throw problem("upload_link_invalid");
    return link;
  }

  private async admit(tokens: Pick<Link, "token" | "accessToken">, nowSeconds: number, limit: Limit | undefined) {
    try {
      const credentials = { ...tokens, isInUrl: true, areHashes: true } as const;
      return await authenticate(this.stores.tokens, this.upload.need as Need, credentials, nowSeconds, limit);
    } catch (error) {
      // The address is all that its sender has: it has ended with its tokens.
      if (error instanceof Problem && error.kind === "unauthenticated") throw problem("upload_link_invalid");
      throw error;
    }
  }

  private async refuseUsed({ token }: Pick<Authenticated, "token">, key: string, nowSeconds: number): Promise<void> {
    const used = await this.stores.idempotency.find(token?.id as string, key, nowSeconds);
    if (used) throw problem("upload_link_invalid");
  }
}
