import { accessOf } from "../src/core/access/access.ts";
import type { JsonObject } from "../src/core/lib/json.ts";
import { toJson } from "../src/core/lib/json.ts";
import { parseCollection } from "../src/core/list/list.ts";
import { engines } from "../test/ports/engines.ts";

const size = Number(process.argv[2] ?? 20000);
const which = process.argv[3] ?? "";
const words = Array.from({ length: 4000 }, (_, i) => {
  let w = "";
  let x = i * 7919 + 13;
  for (let k = 0; k < 6; k++) {
    w += String.fromCharCode(97 + (x % 26));
    x = Math.floor(x / 3) + 17 * k + i;
  }
  return w;
});
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
for (const { name, skip, open } of engines) {
  if (skip || !name.includes(which)) continue;
  const store = await open();
  const t0 = performance.now();
  const c0 = process.cpuUsage();
  for (let at = 0; at < size; at += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, size - at) }, (_, k) => {
        const i = at + k;
        const data = {
          title: `${pick(words)} ${pick(words)} ${i}`,
          price: Math.floor(Math.random() * 1e5) / 100,
          state: ["new", "open", "done", "late"][i % 4],
          group: `g${i % (size / 20)}`,
          stock: i % 100,
          author: pick(words),
          text: Array.from({ length: 20 }, () => pick(words)).join(" "),
          rare: `x${i}y`,
        };
        return store.entries.create(
          `shop/e${i}` as never,
          {
            data: JSON.stringify(data),
            isMergePatch: false,
            fields: { publishedAt: 1_600_000_000 + ((i * 7919) % size) * 60 },
          } as never,
          { actor: "t", nowSeconds: 1_700_000_000 },
        );
      }),
    );
  await store.entries.indexTexts();
  const used = process.cpuUsage(c0);
  console.log(
    name,
    "load",
    Math.round(performance.now() - t0),
    "ms, cpu",
    Math.round((used.user + used.system) / 1000),
  );
  const access = accessOf({ kind: "delivery" }, 1_800_000_000);
  const admin = accessOf({ kind: "management" }, 1_800_000_000);
  const only = process.argv[4] ?? "";
  const lists: Record<string, () => object> = {
    "newest 10, offset<50": () => ({
      order_by: { field: "published_at", direction: "desc" },
      limit: "10",
      offset: String(Math.floor(Math.random() * 50)),
    }),
    "price>=x by price": () => ({
      where: { key: "price", expr: "gte", value: String(Math.random() * 900) },
      order_by: { field: "price", direction: "asc" },
      limit: "10",
    }),
    "state=, by price, offset<100": () => ({
      where: { key: "state", expr: "eq", value: pick(["new", "open", "done", "late"]) },
      order_by: { field: "price", direction: "asc" },
      limit: "10",
      offset: String(Math.floor(Math.random() * 100)),
    }),
    "group=x": () => ({
      where: { key: "group", expr: "eq", value: `g${Math.floor((Math.random() * size) / 20)}` },
      limit: "30",
    }),
    "search word": () => ({ search: pick(words), limit: "10" }),
    contains: () => ({
      where: { key: "rare", expr: "contains", value: `x${Math.floor(Math.random() * size)}y` },
      limit: "10",
    }),
    "count range": () => ({
      where: { key: "price", expr: "gte", value: String(Math.random() * 1000) },
      return: "count",
    }),
    "state<>x + total": () => ({
      where: { key: "state", expr: "neq", value: pick(["new", "open", "done", "late"]) },
      limit: "10",
      total: "1",
      offset: String(10 * Math.floor(Math.random() * 10)),
    }),
    "order by state": () => ({ order_by: { field: "state", direction: "desc" }, limit: "10" }),
    "3 conditions": () => ({
      where: [
        { key: "state", expr: "eq", value: "new" },
        { key: "stock", expr: "lt", value: "50" },
        { key: "price", expr: "lt", value: String(Math.random() * 1000) },
      ],
      limit: "10",
    }),
    "2 keys": () => ({
      order_by: [
        { field: "stock", direction: "asc" },
        { field: "price", direction: "desc" },
      ],
      limit: "10",
    }),
    "two letters": () => ({ search: pick(words).slice(0, 2), limit: "10" }),
  };
  for (const [who, acc] of [
    ["delivery", access],
    ["management", admin],
  ] as const) {
    console.log(name, who);
    const slugs = () => `shop/e${Math.floor(Math.random() * size)}`;
    const time = async (work: () => unknown, n: number) => {
      const ts: number[] = [];
      for (let i = 0; i < n; i++) {
        const s = performance.now();
        await work();
        ts.push(performance.now() - s);
      }
      ts.sort((a, b) => a - b);
      return [ts[n >> 1], ts[Math.floor(n * 0.95)]] as number[];
    };
    const one = await time(() => store.entries.find(slugs() as never, "delivery" as never), 300);
    console.log("  one", one.map((t) => t.toFixed(3)).join(" "));
    for (const [title, args] of Object.entries(lists).filter(([n]) => n.includes(only))) {
      let plan = "";
      const run = async () => {
        const q = parseCollection("shop" as never, toJson(args()) as JsonObject, { maxLimit: 1000, defaultLimit: 100 });
        const a = await store.entries.list(q, acc, undefined as never);
        plan = a.plan ?? "";
      };
      for (let i = 0; i < 10; i++) await run();
      const c = process.cpuUsage();
      const n = 100;
      const t = await time(run, n);
      const d = process.cpuUsage(c);
      console.log(
        "  ",
        title.padEnd(30),
        ((d.user + d.system) / n / 1000).toFixed(3),
        t.map((x) => x.toFixed(3)).join(" "),
        plan,
      );
    }
  }
  await store.close();
}
process.exit(0);
