import type { Page } from "playwright-core";

/** Counts the clicks of a flow on this page from now on, as somebody's hand makes them; keys are none. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as { clicks: number };
    counted.clicks = 0;
    // Not `click`: one on a label is two of them.
    addEventListener("pointerdown", () => void counted.clicks++, { capture: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
}
