import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stores } from "../../src/stores.ts";
import { until } from "../harness.ts";

type Change = { op: "put" | "gone"; uuid: string; id: string; entry?: { title?: string } };

/** A site's copy of what is public, kept by the feed of changes whatever happens to the nodes. Contract, part three, §12. */
export class Mirror {
  private readonly token: string;
  private readonly entries = new Map<string, Change>();
  private cursor: string | undefined;
  private isOver = false;
  private following: Promise<void> | undefined;

  constructor(token: string) {
    this.token = token;
  }

  /** Reads page after page until `stop`. */
  follow(url: string): void {
    this.isOver = false;
    this.following = (async () => {
      while (!this.isOver) if (!(await this.read(url))) await sleep(50);
    })();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.following;
  }

  /** Reads what is left, and compares the copy with the store, in which all is public. */
  async check(url: string, stores: Stores): Promise<void> {
    const expected: string[] = [];
    await stores.rows.snapshot(async (rows) => {
      for await (const batch of rows.rows("entry"))
        for (const { uuid, slug, data } of batch as unknown as { uuid: string; slug: string; data: string }[])
          expected.push(`${uuid} ${slug} ${JSON.parse(data).title}`);
    });
    const found = () => [...this.entries.values()].map(({ uuid, id, entry }) => `${uuid} ${id} ${entry?.title}`).sort();
    const isSame = async () => {
      while (await this.read(url));
      return found().join() === expected.join();
    };
    expected.sort();
    await until(isSame, () => `the mirror has ${found().length} of ${expected.length}`, 10_000).catch((error) => {
      assert.deepEqual(found(), expected);
      throw error;
    });
  }

  /** Applies one page; true when there are more. A page that does not come changes nothing. */
  private async read(url: string): Promise<boolean> {
    const query = new URLSearchParams({ token: this.token, limit: "20", ...(this.cursor && { cursor: this.cursor }) });
    const reply = await fetch(`${url}/api/delivery/changes?${query}`).catch(() => undefined);
    const text = await reply?.text().catch(() => undefined);
    if (!reply || text === undefined || reply.status === 503) return false;
    assert.equal(reply.status, 200, text);
    const page = JSON.parse(text) as { data: Change[]; cursor: string; has_more: boolean };
    for (const change of page.data) {
      if (change.op === "put") this.entries.set(change.uuid, change);
      else this.entries.delete(change.uuid);
    }
    this.cursor = page.cursor;
    return page.has_more;
  }
}
