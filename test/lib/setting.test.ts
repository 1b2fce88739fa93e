import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSettings, settingFields } from "../../src/cli/settings.ts";
import {
  bytes,
  choice,
  integer,
  list,
  readRows,
  type SettingRows,
  type SettingSources,
  SettingsError,
  text,
  toSettings,
  webAddress,
} from "../../src/lib/setting.ts";
import { readSettings, settingRows } from "../../src/settings.ts";

const rows = {
  port: integer({ default: 80, min: 0, max: 100, help: "A port." }),
  max_bytes: bytes({ default: 1024, min: 1, max: 1024 ** 3, help: "A size." }),
  log: choice(["on", "off"], { default: "on", help: "A choice." }),
  keys: list({ default: ["a"], isItem: (item) => item !== "", accepted: "keys", help: "A list." }),
  url: webAddress({ help: "An address." }),
  password: text({ default: "", help: "A secret.", secret: true }),
} satisfies SettingRows;

const none: SettingSources = { flags: {}, env: {}, file: undefined };
const read = (sources: Partial<SettingSources>) => toSettings<typeof rows>(readRows(rows, { ...none, ...sources }));
const faults = (sources: Partial<SettingSources>): string[] => {
  try {
    read(sources);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.faults;
  }
};

test("a flag beats the environment, the environment the file, the file the default", () => {
  const file = { name: "f.json", values: { port: 3, log: "off", keys: ["x", "y"] } };
  assert.deepEqual(read({ flags: { port: "1" }, env: { OCTAVO_PORT: "2", OCTAVO_LOG: "on" }, file }), {
    port: 1,
    maxBytes: 1024,
    log: "on",
    keys: ["x", "y"],
    url: undefined,
    password: "",
  });
});

const sizes: [string, number | undefined][] = [
  ["500000", 500_000],
  ["16MiB", 16 * 1024 ** 2],
  ["1.25MiB", 1_310_720],
  ["0.5KiB", 512],
  ["-1", undefined],
  ["many", undefined],
  ["2TiB", undefined],
];
for (const [came, value] of sizes) {
  test(`a size of ${came} is ${value ?? "refused"}`, () => {
    if (value === undefined) assert.equal(faults({ flags: { max_bytes: came } }).length, 1);
    else assert.equal(read({ flags: { max_bytes: came } }).maxBytes, value);
  });
}

test("every fault is listed at once, each with its source, what came and what is accepted", () => {
  const found = faults({
    flags: { port: "101", prot: "1" },
    env: { OCTAVO_LOG: "loud", OCTAVO_LGO: "x", PATH: "/bin" },
    file: { name: "f.json", values: { url: "ftp://x", colour: "red" } },
  });
  assert.equal(found.length, 6, found.join("\n"));
  const all = found.join("\n");
  for (const part of [
    "--port",
    "101",
    "0 to 100",
    "--prot",
    "OCTAVO_LOG",
    "loud",
    "on",
    "OCTAVO_LGO",
    "ftp://x",
    "colour",
    "f.json",
  ]) {
    assert.ok(all.includes(part), `${part} in ${all}`);
  }
  assert.match(all, /did you mean --port/);
});

test("a secret is shown nowhere, and never taken from the command line that all can read", () => {
  const states = readRows(rows, { ...none, env: { OCTAVO_PASSWORD: "geheim" } });
  assert.equal(toSettings<typeof rows>(states).password, "geheim");
  assert.ok(!formatSettings(states).includes("geheim"));
  assert.match(formatSettings(states), /password +\[hidden\]/);
  assert.ok(!JSON.stringify(states.map(settingFields)).includes("geheim"));
  const refused = faults({ flags: { password: "geheim" } });
  assert.equal(refused.length, 1);
  assert.ok(!refused[0]?.includes("geheim"));
});

test("every setting has help, and its default is what it accepts", () => {
  for (const [name, row] of Object.entries(settingRows)) {
    assert.ok(row.help.endsWith("."), name);
    const standard = row.format(row.default as never);
    if (standard !== "") assert.deepEqual(row.parse(standard), row.default, name);
  }
  assert.ok(Object.isFrozen(readSettings(none)));
});
