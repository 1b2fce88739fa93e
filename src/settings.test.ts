import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsPage } from "../scripts/docs.ts";
import { formatTable } from "./cli/print.ts";
import { settingCells, settingFields } from "./cli/settings.ts";
import {
  bytes,
  choice,
  envOf,
  flagOf,
  formatBytes,
  integer,
  isAddressBlock,
  list,
  readRows,
  type SettingSources,
  SettingsError,
  text,
  toSettings,
  webAddress,
} from "./core/lib/setting.ts";
import {
  explainSettings,
  passedOverSentences,
  readSettings,
  retiredSentences,
  retiredSettings,
  settingRows,
} from "./settings.ts";

const sources = (given: Partial<SettingSources>): SettingSources => ({ flags: {}, env: {}, file: undefined, ...given });
const file = (values: Record<string, unknown>) => ({ name: "octavo.json", values });

function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.faults;
  }
  return [];
}
const faults = (given: Partial<SettingSources>): string[] => faultsOf(() => readSettings(sources(given)));

// ---------------------------------------------------------------------------------------------- the table

test("by default every setting has its default, which is valid", () => {
  for (const { name, row, value, from } of explainSettings(sources({}))) {
    assert.equal(from, "default", name);
    assert.deepEqual(value, row.default, name);
    assert.deepEqual(row.parse(row.format(value)), value, name);
  }
});

test("every setting has a help text and its accepted values", () => {
  for (const [name, row] of Object.entries(settingRows)) {
    assert.match(name, /^[a-z][a-z0-9]*(_[a-z]+)*$/);
    assert.match(row.help, /^[A-Z].*\.$/, name);
    assert.ok(row.accepted.length > 0, name);
    if (row.unit) assert.match(name, /_(bytes|ms|seconds|hours|days|pixels)$/, `${name} does not say its unit`);
  }
});

test("the settings are frozen, and so are the lists in them", () => {
  const settings = readSettings(sources({ flags: { "trust-proxy": "10.0.0.1" } }));
  assert.ok(Object.isFrozen(settings));
  assert.ok(Object.isFrozen(settings.trustProxy) && Object.isFrozen(settings.corsOrigin));
});

test("an issuer needs its three settings, and a claim of roles needs an issuer", () => {
  const whole = { OCTAVO_OIDC_ISSUER: "https://id.example.org/", OCTAVO_OIDC_CLIENT_ID: "octavo" };
  const secret = "never printed";
  const settings = readSettings(sources({ env: { ...whole, OCTAVO_OIDC_CLIENT_SECRET: secret } }));
  // As the issuer names itself, with its slash.
  assert.deepEqual([settings.oidcIssuer, settings.oidcClientSecret], ["https://id.example.org/", secret]);
  assert.deepEqual(faults({ env: whole }), ["oidc_client_secret: it is not set; expected it beside oidc_issuer"]);
  assert.deepEqual(faults({ env: { OCTAVO_OIDC_CLIENT_SECRET: secret } }), [
    "oidc_issuer: it is not set; expected it beside oidc_client_secret",
    "oidc_client_id: it is not set; expected it beside oidc_client_secret",
  ]);
  assert.deepEqual(faults({ env: { OCTAVO_OIDC_ROLE_CLAIM: "role" } }), [
    "oidc_issuer: it is not set; expected it beside oidc_role_claim",
  ]);
});

test("a public preset is one of the presets", () => {
  const presets = { OCTAVO_IMAGE_PRESETS: "card:w=60; hero:w=900" };
  const read = readSettings(sources({ env: { ...presets, OCTAVO_IMAGE_PUBLIC: "hero, card" } }));
  assert.deepEqual(read.imagePublic, ["hero", "card"]);
  assert.deepEqual(faults({ env: { ...presets, OCTAVO_IMAGE_PUBLIC: "card,herro" } }), [
    'image_public: OCTAVO_IMAGE_PUBLIC was "herro"; expected names of image_presets',
  ]);
});

test("an issuer is https, or http on this machine", () => {
  const isTaken = (issuer: string) =>
    faults({ env: { OCTAVO_OIDC_ISSUER: issuer, OCTAVO_OIDC_CLIENT_ID: "octavo", OCTAVO_OIDC_CLIENT_SECRET: "x" } })
      .length === 0;
  for (const good of [
    ...["https://id.example.org", "https://id.example.org/realms/a", "http://127.0.0.1:3000", "http://127.9.9.9/"],
    ...["http://localhost:3000/oidc", "http://[::1]:3000", "HTTPS://id.example.org", "http://127.1:80"],
  ])
    assert.ok(isTaken(good), good);
  for (const bad of [
    ...["http://id.example.org", "http://localhost.example.org", "http://127.0.0.1.example.org", "http://128.0.0.1"],
    ...["https://", "id.example.org", "ftp://127.0.0.1", "https://user@id.example.org", "http://127.0.0.1@evil.org"],
    ...["https://id.example.org?a=b", "https://id.example.org#a", "http:/127.0.0.1", "http://0.0.0.0:3000", "/"],
  ])
    assert.ok(!isTaken(bad), bad);
});

test("a mail server is an address of SMTP, whose sender may be in it", () => {
  const isTaken = (address: string) => faults({ env: { OCTAVO_SMTP_URL: address } }).length === 0;
  for (const good of [
    ...["smtp://127.0.0.1:2525", "smtps://a%40b.org:secret@mail.example.org", "smtp://mail/", "smtp://[::1]:25"],
    "smtps://mail.example.org:465?from=octavo%40example.org",
    "smtps://mail.example.org?from=octavo@example.org",
  ])
    assert.ok(isTaken(good), good);
  for (const bad of [
    ...["mail.example.org", "http://mail.example.org", "smtp://", "smtp://mail/path", "smtp://mail#a", "smtp://a b"],
    ...["smtp://mail?tls=off", "smtp://mail?from=octavo", "smtp:mail"],
  ])
    assert.ok(!isTaken(bad), bad);
  const secret = faults({ env: { OCTAVO_SMTP_URL: "http://user:never@mail" } }).join();
  assert.ok(secret.includes("[hidden]") && !secret.includes("never"));
});

test("a bucket needs its four settings; each missing one is reported with all other faults", () => {
  const whole = {
    OCTAVO_S3_ENDPOINT: "https://s3.example.org",
    OCTAVO_S3_BUCKET: "octavo",
    OCTAVO_S3_ACCESS_KEY: "key",
  };
  const secret = "never printed";
  const settings = readSettings(sources({ env: { ...whole, OCTAVO_S3_SECRET_KEY: secret } }));
  assert.equal(settings.s3SecretKey, secret);
  assert.deepEqual(faults({ env: { OCTAVO_S3_BUCKET: "octavo", OCTAVO_PORT: "x" } }), [
    'port: OCTAVO_PORT was "x"; expected an integer from 0 to 65535',
    "s3_endpoint: it is not set; expected it beside s3_bucket",
    "s3_access_key: it is not set; expected it beside s3_bucket",
    "s3_secret_key: it is not set; expected it beside s3_bucket",
  ]);
  // An invalid setting is not reported as missing.
  assert.equal(faults({ env: { ...whole, OCTAVO_S3_SECRET_KEY: secret, OCTAVO_S3_BUCKET: "No Bucket" } }).length, 1);
  assert.ok(
    !faults({ env: { OCTAVO_S3_SECRET_KEY: secret } })
      .join()
      .includes(secret),
  );
});

test("images can be stored in a bucket only if there is one", () => {
  assert.deepEqual(faults({ env: { OCTAVO_RENDITIONS_STORE: "s3" } }), [
    'renditions_store: OCTAVO_RENDITIONS_STORE was "s3"; expected disk where s3_endpoint is not set',
  ]);
});

// ---------------------------------------------------------------------------------------------- sources of values

test("precedence: flag, environment, file, default", () => {
  const all = { flags: { port: "1" }, env: { OCTAVO_PORT: "2" }, file: file({ port: 3 }) };
  assert.equal(readSettings(sources(all)).port, 1);
  assert.equal(readSettings(sources({ ...all, flags: {} })).port, 2);
  assert.equal(readSettings(sources({ file: all.file })).port, 3);
  assert.equal(readSettings(sources({})).port, 8080);
});

test("a flag is accepted with - and with _", () => {
  assert.equal(readSettings(sources({ flags: { "regexp-time-ms": "7" } })).regexpTimeMs, 7);
  assert.equal(readSettings(sources({ flags: { regexp_time_ms: "7" } })).regexpTimeMs, 7);
});

test("an empty variable counts as not set, an empty flag as the empty list", () => {
  assert.equal(readSettings(sources({ env: { OCTAVO_PORT: "" } })).port, 8080);
  assert.deepEqual(
    readSettings(sources({ flags: { "trust-proxy": "" }, env: { OCTAVO_TRUST_PROXY: "::1" } })).trustProxy,
    [],
  );
});

test("a list is an array in the file, and text with commas everywhere", () => {
  const inFile = (value: unknown) => readSettings(sources({ file: file({ trust_proxy: value }) })).trustProxy;
  assert.deepEqual(inFile(["10.0.0.0/8", "::1"]), ["10.0.0.0/8", "::1"]);
  assert.deepEqual(inFile("10.0.0.0/8, ::1"), ["10.0.0.0/8", "::1"]);
  assert.deepEqual(inFile([]), []);
});

test("each value has its source", () => {
  const states = explainSettings(
    sources({ flags: { host: "::1" }, env: { OCTAVO_PORT: "1" }, file: file({ log: "off" }) }),
  );
  const from = Object.fromEntries(states.map((state) => [state.name, state.from]));
  assert.deepEqual([from.host, from.port, from.log, from.data], ["--host", "OCTAVO_PORT", "octavo.json", "default"]);
});

test("a retired setting is accepted from every source, whatever its value, and has no effect", () => {
  const givens: [Partial<SettingSources>, string][] = [
    [{ flags: { "list-cache-bytes": "8MiB" } }, "--list-cache-bytes"],
    [{ flags: { list_cache_bytes: "x" } }, "--list-cache-bytes"],
    [{ env: { OCTAVO_LIST_CACHE_BYTES: "-1" } }, "OCTAVO_LIST_CACHE_BYTES"],
    [{ file: file({ list_cache_bytes: null }) }, "octavo.json"],
  ];
  for (const [given, place] of givens) {
    assert.deepEqual(readSettings(sources(given)), readSettings(sources({})));
    assert.deepEqual(explainSettings(sources(given)), explainSettings(sources({})));
    const [sentence = "", ...more] = retiredSentences(sources(given));
    assert.ok(sentence.startsWith(`list_cache_bytes (${place}) has no effect any more: `), sentence);
    assert.deepEqual(more, []);
  }
  assert.deepEqual(retiredSentences(sources({ env: { OCTAVO_LIST_CACHE_BYTES: "" }, file: file({ port: 1 }) })), []);
  for (const name of Object.keys(retiredSettings)) assert.ok(!Object.hasOwn(settingRows, name), name);
});

// ---------------------------------------------------------------------------------------------- refusals

test("variables of programs that call a service are no settings: one shell has both", () => {
  const names = ["TOKEN", "ACCESS_TOKEN", "IMAGES_TOKEN", "URL", "AGENT", "WEBHOOK_SECRET"];
  const env = Object.fromEntries(names.map((name) => [`OCTAVO_${name}`, "x"]));
  assert.deepEqual(readSettings(sources({ env })), readSettings(sources({})));
});

test("secrets and addresses of other programs are passed over, and named without their values", () => {
  const names = ["PREVIEW_TOKEN", "WEBHOOK_SIGNING_SECRET", "A_KEY", "BASE_URL", "S_TOKEN"].map(
    (name) => `OCTAVO_${name}`,
  );
  const env = Object.fromEntries(names.map((name) => [name, "hunter2"]));
  const given = sources({ env: { ...env, OCTAVO_TOKEN: "hunter2", OCTAVO_SMTP_URL: "", OTHER_TOKEN: "hunter2" } });
  assert.deepEqual(readSettings(given), readSettings(sources({})));
  assert.deepEqual(passedOverSentences(given), [`${names.join(", ")}: no setting of Octavo, passed over`]);
  assert.deepEqual(passedOverSentences(sources({ env: { OCTAVO_PUBLIC_URL: "http://a" } })), []);
});

test("what is within two letters of a setting is refused as its typo, and so is every other unknown name", () => {
  const typos = [
    "PUBLC_URL",
    "S3_SECERT_KEY",
    "S3_ACESS_KEY",
    "S3_ACSS_KEY",
    "SMPT_URL",
    "POSTGRS_ULR",
    "OIDC_CLINT_SECRT",
  ];
  const others = ["PREVIEW_TOKENS", "SITE", "TOKEN_FILE", "preview_token"];
  const refused = (name: string) => faults({ env: { [`OCTAVO_${name}`]: "http://a" } });
  for (const name of [...typos, ...others]) {
    assert.match(refused(name).join(), /there is no such setting/, name);
    assert.doesNotMatch(refused(name).join(), /http/, name);
  }
  assert.deepEqual(refused("PUBLIC_SITE_URL"), []);
});

test("all faults are listed at once: setting, source, value, accepted values", () => {
  assert.deepEqual(
    faults({
      flags: { port: "70000" },
      env: { OCTAVO_HOTS: "x", OCTAVO_LOG: "loud" },
      file: file({ colour: "red", entry_cache_bytes: "16MB", events_keep_days: [1] }),
    }),
    [
      "OCTAVO_HOTS: there is no such setting; did you mean OCTAVO_HOST?",
      "colour in octavo.json: there is no such setting; `octavo settings` lists all there are",
      'port: --port was "70000"; expected an integer from 0 to 65535',
      'log: OCTAVO_LOG was "loud"; expected json or off',
      'entry_cache_bytes: octavo.json was "16MB"; expected bytes from 0 to 64GiB, as 500000, 64KiB, 1.25MiB or 2GiB',
      "events_keep_days: octavo.json was [1]; expected an integer from 1 to 3650 (days)",
    ],
  );
});

for (const [name, value] of [
  ["port", "8080.5"],
  ["port", "-1"],
  ["port", "0x50"],
  ["port", "1e3"],
  ["host", "http://x"],
  ["host", ""],
  ["data", ""],
  ["log", "JSON"],
  ["trust_proxy", "10.0.0.0/33"],
  ["trust_proxy", "proxy.example.org"],
  ["cors_origin", "https://example.org/path"],
  ["cors_origin", "example.org"],
  ["cache_groups", "on"],
  ["cache_groups", "off,xkey"],
  ["cache_groups", "XKey"],
  ["cache_groups", "xkey,"],
  ["index_keys", "-"],
  ["collection_page_bytes", "1KiB"],
  ["entry_cache_bytes", "1.5.5MiB"],
  ["image_marks", "../x"],
  ["image_defaults", "fm=%zz"],
  ["image_defaults", "w=1&w=2"],
  ["image_presets", "thumb"],
  ["image_presets", "thumb:w=%zz"],
] as const) {
  test(`${name} is not ${JSON.stringify(value)}`, () => {
    const found = faults({ flags: { [name]: value } });
    assert.equal(found.length, 1, found.join("\n"));
    assert.ok(found[0]?.startsWith(`${name}: ${flagOf(name)} was ${JSON.stringify(value)}; expected `), found[0]);
  });
}

test("a value of the wrong type in the file is refused, not converted", () => {
  for (const values of [{ port: true }, { port: null }, { data: 5 }, { data: ["a"] }, { log: { json: true } }]) {
    assert.equal(faults({ file: file(values) }).length, 1, JSON.stringify(values));
  }
});

test("names of Object.prototype are not settings", () => {
  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    assert.equal(faults({ file: file({ [name]: "x" }) }).length, 1, name);
    assert.equal(faults({ flags: { [name]: "x" } }).length, 1, name);
  }
});

test("variables of other programs, of the tests and of the settings file are ignored", () => {
  assert.deepEqual(faults({ env: { PATH: "/bin", PORT: "x", OCTAVO_CONFIG: "a.json", OCTAVO_TEST_LONG: "1" } }), []);
});

test("a very long value is shortened in the message", () => {
  assert.ok((faults({ flags: { port: "9".repeat(10_000) } })[0]?.length ?? 0) < 200);
});

test("a smaller maximum lowers the default limit; a configured limit above it is a fault", () => {
  assert.equal(readSettings(sources({ flags: { "collection-limit-max": "50" } })).collectionLimit, 50);
  assert.equal(readSettings(sources({ flags: { "collection-limit-max": "20000" } })).collectionLimit, 10_000);
  assert.deepEqual(faults({ flags: { "collection-limit": "60", "collection-limit-max": "50" } }), [
    'collection_limit: --collection-limit was "60"; expected at most collection_limit_max, which is 50',
  ]);
});

// ---------------------------------------------------------------------------------------------- types of settings

test("bytes are parsed with binary units in any case, and formatted so that they parse back", () => {
  const row = bytes({ default: 0, min: 0, max: 2 ** 40, help: "" });
  const cases = { 500000: "500000", 16777216: "16MiB", 1310720: "1.25 mib", 1024: "1kib", 3: "3B", 2147483648: "2GiB" };
  for (const [size, written] of Object.entries(cases)) {
    assert.equal(row.parse(written), Number(size), written);
    assert.equal(row.parse(formatBytes(Number(size))), Number(size));
  }
  for (const wrong of ["", "MiB", "1MB", "1 M", "-1", "1e3", "0x10", "1,5MiB"])
    assert.equal(row.parse(wrong), undefined, wrong);
});

test("a URL is http or https, without user, query and fragment; trailing slashes are removed", () => {
  const row = webAddress({ help: "" });
  assert.equal(row.parse("https://content.example.org/base//"), "https://content.example.org/base");
  for (const wrong of ["content.example.org", "ftp://a", "https://u:p@a", "https://a/?b", "https://a/#b", "http://"]) {
    assert.equal(row.parse(wrong), undefined, wrong);
  }
});

test("the public address has no path, under which half of the service would be missing", () => {
  const given = (address: string) => sources({ env: { OCTAVO_PUBLIC_URL: address } });
  for (const right of ["https://content.example.org", "http://localhost:8080/"])
    assert.equal(readSettings(given(right)).publicUrl, right.replace(/\/$/, ""));
  for (const wrong of ["https://example.org/cms", "https://example.org/cms/", "http://a/%2f", "https://a//b"])
    assert.match(faults(given(wrong)).join(), /public.url.*without path/is, wrong);
});

test("an address block is an IP address with an optional valid prefix length", () => {
  for (const right of ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "0.0.0.0/0"])
    assert.ok(isAddressBlock(right), right);
  for (const wrong of ["10.0.0", "10.0.0.0/33", "fd00::/129", "a", "10.0.0.0/", "10.0.0.0/8/8"]) {
    assert.ok(!isAddressBlock(wrong), wrong);
  }
});

// ---------------------------------------------------------------------------------------------- secrets

const withSecrets = {
  store_url: text({
    default: "",
    help: "Where the store is.",
    secret: true,
    accepted: "a postgres:// address",
    pattern: /^postgres:/,
  }),
  keys: list({ default: [], help: "Keys.", secret: true, accepted: "keys", isItem: (item) => item.length > 3 }),
  mode: choice(["plain", "odd"], { default: "plain", help: "Mode." }),
  count: integer({ default: 1, min: 1, max: 9, help: "Count." }),
};
const secret = "postgres://user:hunter2@host/db";

test("a secret comes from the environment or the file", () => {
  const fromEnv = toSettings<typeof withSecrets>(readRows(withSecrets, sources({ env: { OCTAVO_STORE_URL: secret } })));
  assert.equal(fromEnv.storeUrl, secret);
  const fromFile = toSettings<typeof withSecrets>(
    readRows(withSecrets, sources({ file: file({ store_url: secret }) })),
  );
  assert.equal(fromFile.storeUrl, secret);
});

test("a secret is refused as a flag, and the refusal does not print it", () => {
  const found = faultsOf(() => readRows(withSecrets, sources({ flags: { "store-url": secret } })));
  assert.deepEqual(found, [
    "store_url: a secret is not taken from --store-url; expected it in OCTAVO_STORE_URL or the file",
  ]);
});

test("an invalid secret is refused without printing it", () => {
  const found = faultsOf(() =>
    readRows(withSecrets, sources({ env: { OCTAVO_STORE_URL: "mysql://hunter2", OCTAVO_KEYS: "abc" } })),
  );
  assert.equal(found.length, 2);
  assert.ok(!/hunter2|abc/.test(found.join()), found.join("\n"));
  assert.match(found[0] ?? "", /^store_url: OCTAVO_STORE_URL was \[hidden\]; expected a postgres:/);
});

test("octavo settings shows that a secret is set, but not its value", () => {
  const states = readRows(withSecrets, sources({ env: { OCTAVO_STORE_URL: secret, OCTAVO_KEYS: "hunter2" } }));
  const printed = formatTable(settingCells(states)) + JSON.stringify(states.map(settingFields));
  assert.ok(!printed.includes("hunter2"), printed);
  assert.match(printed, /store_url +\[hidden\] +OCTAVO_STORE_URL/);
  const unset = readRows(withSecrets, sources({}));
  assert.match(formatTable(settingCells(unset)), /store_url +- +default/);
  assert.deepEqual(
    unset.map((state) => settingFields(state).value),
    [null, null, "plain", 1],
  );
});

test("the settings page shows no flag and no default for a secret", () => {
  const page = settingsPage({
    ...withSecrets,
    token_key: text({ default: "hunter2", help: "A key.", secret: true }),
  });
  assert.ok(!page.includes("--store-url") && !page.includes("hunter2"), page);
  assert.ok(page.includes(envOf("store_url")) && page.includes("--mode"));
});
