import type { Page } from "playwright-core";

/** Counts the clicks of a flow from here on: presses of the pointer, as a person would make them. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as { clicks: number };
    counted.clicks = 0;
    addEventListener("pointerdown", () => counted.clicks++, { capture: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
}
