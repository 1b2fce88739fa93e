import type { CollectionArguments } from "../core/http/collection.ts";
import { type Answer, data, tagOf } from "../core/http/reply.ts";
import { parseFlag } from "../core/lib/flag.ts";
import type { LongText } from "../core/lib/long-text.ts";
import { objectOf } from "../core/list/candidate.ts";
import type { CollectionAnswer } from "../core/list/list.ts";
import { withPreview } from "../core/list/preview.ts";
import { type File, fileItem } from "../file/file.ts";
import type { UploadsAddress } from "../file/folder.ts";
import type { Placeholders } from "./placeholder.ts";

/** The previews of pictures in the reply of one request: `options[preview]`. Contract, part three, §17. */
export class Previews {
  private readonly placeholders: Placeholders;
  private pending = 0;

  constructor(placeholders: Placeholders) {
    this.placeholders = placeholders;
  }

  /** The answer with one file, with its preview. */
  async ofOne(answer: Answer, file: File, address: UploadsAddress): Promise<Answer> {
    const text = await this.fill(this.unfilled(file, address));
    return this.finish({ ...answer, body: data(text).body, tag: `${answer.tag}-${tagOf(text).slice(0, 8)}` });
  }

  /** The text of a file whose preview is to be filled in. */
  unfilled(file: File, address: UploadsAddress): string {
    const item = fileItem(file, address);
    return withPreview(item, () => objectOf(item));
  }

  /** A collection whose query has previews, with these. */
  async ofList(found: CollectionAnswer): Promise<CollectionAnswer> {
    return { ...found, json: await this.fill(found.json) };
  }

  /** Where some are not made yet, who asks again gets more: such a reply is not to be kept. */
  finish(answer: Answer): Answer {
    if (this.pending === 0) return answer;
    const header = ["Octavo-Previews-Pending", String(this.pending)];
    return { ...answer, cacheControl: "no-store", headers: [...(answer.headers ?? []), ...header] };
  }

  async fill(json: LongText): Promise<string> {
    const { text, pending } = await this.placeholders.fill(json);
    this.pending += pending;
    return text;
  }
}

/** True for a request that asks for previews. */
export const asksPreviews = ({ options }: CollectionArguments): boolean => parseFlag(options?.get("preview")) === true;
