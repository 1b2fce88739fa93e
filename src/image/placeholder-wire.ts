import type { Answer } from "../core/http/reply.ts";
import type { LongText } from "../core/lib/long-text.ts";
import type { CollectionAnswer } from "../core/list/list.ts";
import { answerWith } from "../file/member-wire.ts";
import type { Placeholders } from "./placeholder.ts";

/** The previews of pictures in the reply of one request: `options[preview]`. Contract, part three, §17. */
export class Previews {
  private readonly placeholders: Placeholders;
  private pending = 0;

  constructor(placeholders: Placeholders) {
    this.placeholders = placeholders;
  }

  /** The answer with one file, whose text has its preview, to be filled in. */
  async ofOne(answer: Answer, unfilled: string): Promise<Answer> {
    return this.finish(answerWith(answer, await this.fill(unfilled)));
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
