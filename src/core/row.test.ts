import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowNoun } from "../../test/row-noun.ts";
import type { BackupRow } from "../backup/backup.ts";
import type { EntryField } from "../entry/field.ts";
import { fieldColumn } from "../entry/row-rules.ts";
import { allNouns } from "../nouns.ts";
import { completeRow, type Rule, rowFault, rowName } from "./row.ts";

type StoredNoun = RowNoun | "blob";
const ruleOf = (noun: StoredNoun): Rule => allNouns.rowTables.get(noun)?.rule as Rule;

const hash = "0123456789abcdef".repeat(4);
const stamps = { created_at: 1, modified_at: 1, revision: 1 };

const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;

const publicKey = "MCowBQYDK2VwAyEA11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

const sealed = "A".repeat(104);

/** One good row of each noun. */
/** Of an event of the command line. */
const noRequest = { request_id: null, address: null, trace: null, locale: null };

const good: Record<StoredNoun, BackupRow> = {
  state: { name: "signing_key", value: hash },
  folder: { path: "a/b", ...stamps },
  file: {
    ...{ folder: "a", name: "b.png", title: "", description: "", type: "image/png", blob: hash, size: 1 },
    ...{ uploaded_at: 1, width: 1, height: 1, is_color: 1, meta: '{"alt":"x"}', ...stamps },
    uuid: "00000000-0000-4000-8000-000000000001",
    content_revision: 1,
    uploader: "t-1",
    sent_name: "B.png",
    given_name: "b.png",
  },
  entry: {
    ...{ slug: "a/b", uuid: "00000000-0000-4000-8000-000000000000", data: '{"n":1.0,"content":""}', published_at: -1 },
    ...{ ...stamps, published_by: "", created_by: "", routable: 0, visibility: "hidden" },
    content_revision: 1,
    staged_revision: null,
    was_public: 1,
    translated: 1,
    only_locales: '["","de"]',
  },
  registry_item: { key: "site.name", value: '"x"', content_revision: 0, modified_at: 0 },
  token: {
    ...{ hash, id: "t-1", kind: "delivery", resources: "entries,files", label: "", environment: "", state: "enabled" },
    ...{ limit_calls: 0, calls: 5, expires_at: null, created_at: 1, last_used_at: null },
    ...{ paths: "", writes: "all" },
    maker: null,
    release: null,
    locales: "",
  },
  event: {
    ...{ sequence: 1, at: 1, kind: "entry.move", subject: "a", target: "b", count: 1, actor: "octavo" },
    ...{ uuid: "00000000-0000-4000-8000-000000000000", was_public: 1, is_public: 0 },
    outdated: null,
    ...noRequest,
    first_sequence: null,
  },
  event_entry: {
    sequence: 1,
    uuid: "00000000-0000-4000-8000-000000000000",
    old_slug: "a",
    new_slug: null,
    was_listed: 1,
    is_listed: 0,
  },
  trash_item: {
    ...{ id: 1, noun: "entry", path: "a", count: 1, bytes: 1, deleted_at: 1, deleted_by: "t-1", is_purged: 0 },
    locale: "",
  },
  version: {
    ...{ noun: "registry_item", thing: "site.name", locale: "", revision: 1, next_revision: 2, is_deleted: 0 },
    ...{ replaced_at: 1, replaced_by: "t-1", fields: '{"modified_at":1}', data: '"x"', blob: null, bytes: 20 },
  },
  trash_entry: {
    ...{ item: 1, slug: "a/b", uuid: "00000000-0000-4000-8000-000000000000", created_at: 1, was_public: 0 },
    only_locales: null,
  },
  trash_folder: { item: 1, path: "a/b", created_at: 1, modified_at: 1 },
  trash_file: {
    ...{ item: 1, folder: "a", name: "b.txt", uuid: "00000000-0000-4000-8000-000000000001", created_at: 1 },
    uploader: null,
    sent_name: null,
    given_name: null,
  },
  release: {
    ...{ id: "r-1", title: "Spring", state: "scheduled", at: 9, scheduled_by: "t-1", count: 0 },
    ...{ created_at: 1, created_by: "t-1", sequence: 7 },
  },
  working_copy: {
    ...{ published_revision: 0, uuid: "00000000-0000-4000-8000-000000000000", locale: "", slug: "", revision: 9 },
    ...{ data: '{"a":1}', removed: '["b"]', fields: '{"published_at":null,"routable":false}' },
    ...{ staged_at: 1, staged_by: "t-1", publish_at: null, scheduled_by: null, authors: '{"t-2":["a"],"":["b"]}' },
    base: '{"7":{"a":"0123456789abcdef","b":""}}',
    release: "r-1",
  },
  type: {
    ...{ id: "movie", title: "Movie", description: "", paths: '["movies/*"]', schema: '{"type":"object"}' },
    ...{ mode: "enforce", revision: 9 },
  },
  role: { id: "news", title: "News", resources: "entries,files", paths: "news\nblog", writes: "staged", locales: "de" },
  person: {
    ...{
      id: "00000000-0000-4000-8000-000000000002",
      name: "Ada",
      email: "Ada@example.org",
      email_key: "ada@example.org",
    },
    ...{ role: "owner", state: "active", password: passwordHash, created_at: 1, last_seen_at: null },
    ...{ issuer: "https://id.example.org", subject: "ada", role_claimed: 1, preferences: '{"a":1}' },
  },
  passkey: {
    ...{ id: "00000000-0000-4000-8000-000000000003", person: "00000000-0000-4000-8000-000000000002", name: "Phone" },
    ...{ credential: "AQID", public_key: publicKey, transports: "hybrid,internal", counter: 7, created_at: 1 },
    ...{ last_used_at: null, counter_back_at: 2 },
  },
  webhook: {
    ...{ id: "00000000-0000-4000-8000-000000000004", url: "https://example.org/hook", label: "Site", paths: "a\nb/c" },
    ...{ kinds: "entry.*,file.upload", state: "failed", secret: sealed, old_secret: sealed, old_secret_until: 86_401 },
    ...{ sequence: 7, has_gap: 1, attempts: 3, failing_since: 1, next_at: 9, created_at: 1 },
  },
  view: {
    ...{ id: "00000000-0000-4000-8000-000000000004", person: "00000000-0000-4000-8000-000000000002" },
    ...{
      title: "Late",
      path: "a/b",
      columns: '["title","author.name"]',
      sort: "-year",
      filter: '{"a":[9007199254740993]}',
      shared: 1,
    },
  },
  translation: {
    ...{ uuid: "00000000-0000-4000-8000-000000000000", locale: "de-AT", name: "hallo", visibility: "visible" },
    ...{ published_at: 1, listing: 1, was_public: 1, created_at: 1, modified_at: 1, modified_by: "t-1", revision: 7 },
    ...{ sources: '{"title":"0123456789abcdef"}', data: '{"title":"Hallo"}' },
  },
  file_translation: {
    ...{ uuid: "00000000-0000-4000-8000-000000000001", locale: "de", revision: 7, texts: '{"title":"Bild"}' },
  },
  blob: { hash, size: 0, unreferenced_since: 0, generation: 0 },
};
test("each noun has a good row", () => {
  assert.deepEqual(Object.keys(good).sort(), [...allNouns.rowTables.keys()].sort());
});
for (const [noun, row] of Object.entries(good) as [StoredNoun, BackupRow][]) {
  test(`a valid ${noun} has no fault, and each of its columns is required`, () => {
    assert.equal(rowFault(ruleOf(noun), row), undefined);
    for (const column of Object.keys(row)) {
      const { [column]: _, ...rest } = row;
      assert.equal(rowFault(ruleOf(noun), rest), `the column "${column}" is missing`);
      assert.match(
        rowFault(ruleOf(noun), { ...row, [column]: {} as never }) ?? "",
        new RegExp(`^"(${column}|value)" `),
      );
    }
    assert.equal(rowFault(ruleOf(noun), { ...row, extra: 1 }), 'the column "extra" is unknown');
    assert.match(rowFault(ruleOf(noun), { ...row, constructor: "x" as never }) ?? "", /"constructor" is unknown/);
  });
}

const deep = (levels: number) => `{"content":"","a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const wrongPaths = ["..", "../..", "a/../b", "a//b", "/a", "a/", ".", "a\\b", "a\0b", "e\u0301", "\ud800", "%2e%2e"];

const bad: [noun: StoredNoun, part: BackupRow, fault: RegExp][] = [
  ...wrongPaths.map((path): [StoredNoun, BackupRow, RegExp] => ["folder", { path }, /^"path" /]),
  ["folder", { path: "a".repeat(256) }, /at most 255 bytes/],
  ["folder", { path: Array(33).fill("a").join("/") }, /at most 32 segments/],
  ["folder", { path: 7 }, /"path" was "7"; expected a text/],
  ["file", { folder: ".." }, /"folder" was "\.\."/],
  ["file", { name: "" }, /"name" was ""/],
  ["file", { size: -1 }, /"size" was "-1"; expected an integer/],
  ["file", { title: "x".repeat(1024 * 1024 + 1) }, /"title" is too large/],
  ["entry", { slug: "../x" }, /"slug" was/],
  ["entry", { data: '{"content":' }, /"data" was .*JSON that a request may send/],
  ["entry", { data: '{"content":"","a":1,"a":2}' }, /"data" .*"a" twice/],
  ["entry", { data: '"text"' }, /"data" was .*; expected a JSON object/],
  ["entry", { data: deep(64) }, /"data" .*deeper than 64/],
  ["entry", { data: `{"content":"${"x".repeat(1024 * 1024)}"}` }, /"data" is too large/],
  ["entry", { data: '{"content":"\\u0000"}' }, /"data" .*U\+0000/],
  ["entry", { modified_at: 253_402_300_800 }, /"modified_at" was .*; expected an integer/],
  ["entry", { revision: 2 ** 60 }, /"revision" was .*; expected an integer/],
  ["entry", { created_by: null }, /"created_by" was "null"; expected a text/],
  ["registry_item", { key: "a b" }, /"key" was "a b"; expected a dotted/],
  ["registry_item", { value: `"${"x".repeat(65_536)}"` }, /"value" .*65536 bytes/],
  ["token", { resources: "everything" }, /"resources" was "everything"/],
  ["token", { kind: "root" }, /"kind" was "root"; expected one of/],
  ["token", { label: "a\nb" }, /"label" was .*one line/],
  ["token", { limit_calls: -1 }, /"limit_calls" was "-1"/],
  ["event", { kind: "folder.delete", subject: "..", target: null }, /"subject" was "\.\."/],
  ["event", { kind: "folder.move", target: "../b" }, /"target" was "\.\.\/b"/],
  ["event", { actor: "a b" }, /"actor" was "a b"/],
  ["event", { sequence: Number.MAX_SAFE_INTEGER }, /"sequence" was/],
  ["state", { name: "other" }, /"name"/],
  ["state", { value: "key" }, /"value" was "another text"/],
  ["state", { name: "index_keys", value: "a,,b" }, /keys with commas/],
  ["folder", { path: "/a/" }, /stored form/],
  ["folder", { path: "cafe\u0301" }, /stored form/],
  ["folder", { path: "../a" }, /"path"/],
  ["folder", { revision: -1 }, /"revision" was "-1"/],
  ["folder", { revision: 1.5 }, /"revision"/],
  ["folder", { created_at: -1 }, /"created_at"/],
  ["file", { name: "a/b" }, /one segment/],
  ["file", { name: ".." }, /"name"/],
  ["file", { folder: Array(32).fill("a").join("/") }, /"name"/],
  ["file", { title: "\ud800" }, /lone surrogate/],
  ["file", { description: "a\0" }, /U\+0000/],
  ["file", { type: "image/png\r\nx: y" }, /media type/],
  ["file", { blob: "../x" }, /"blob"/],
  ["file", { size: 2 ** 53 }, /"size"/],
  ["file", { meta: '{"a":"\\ud800"}' }, /lone surrogate/],
  ["file", { width: null }, /or none of them/],
  ["file", { meta: '{"title":"x"}' }, /"title"/],
  ["file", { meta: '{"a": 1}' }, /shortest form/],
  ["file", { meta: '{"a":1,"a":2}' }, /"meta"/],
  ["file", { meta: "[]" }, /a JSON object/],
  ["entry", { slug: "" }, /"slug"/],
  ["entry", { uuid: "00000000-0000-4000-8000-00000000000A" }, /"uuid"/],
  ["entry", { data: "{}" }, /the key "content"/],
  ["entry", { data: '{"content":"","uuid":"x"}' }, /"uuid"/],
  ["entry", { data: '{"content":"","__proto__":1}' }, /"data"/],
  ["entry", { routable: 2 }, /"routable"/],
  ["entry", { visibility: "toString" }, /"visibility"/],
  ["registry_item", { key: "octavo.manifest.name" }, /read|built in/],
  ["registry_item", { key: "e\u0301" }, /stored form/],
  ["registry_item", { value: "x" }, /"value"/],
  ["token", { hash: hash.toUpperCase() }, /"hash" was "another text"/],
  ["token", { id: "a\nb" }, /"id"/],
  ["token", { resources: "entries,entries" }, /"resources"/],
  ["token", { kind: "images" }, /"?resources"?/],
  ["token", { state: "maybe" }, /"state"/],
  ["role", { id: "owner" }, /built in/],
  ["role", { resources: "entries,admin" }, /"resources" was "admin"/],
  ["role", { resources: "entries,entries" }, /each once/],
  ["role", { resources: "registry" }, /"paths"/],
  ["role", { writes: "some" }, /"writes"/],
  ["role", { locales: "de,de" }, /"locales" .*each once/],
  ["role", { locales: "DE" }, /"locales"/],
  ["person", { id: "a\nb" }, /"id"/],
  ["person", { email: "ada" }, /an email address/],
  ["person", { email: " ada@example.org" }, /its stored form/],
  ["person", { email_key: "Ada@example.org" }, /without case/],
  ["person", { email_key: null }, /without case/],
  ["person", { name: "a\nb" }, /on one line/],
  ["person", { password: "secret" }, /"password" was "another text"/],
  ["person", { state: "invited" }, /active, with a password/],
  ["person", { state: "deleted" }, /for who is deleted/],
  ["event", { actor: "person:a b" }, /"actor"/],
  ["passkey", { name: "a\nb" }, /on one line/],
  ["passkey", { credential: "AQID=" }, /the id of a credential/],
  ["passkey", { credential: "" }, /the id of a credential/],
  ["passkey", { public_key: "AAAA" }, /a public key/],
  ["passkey", { transports: "usb,NFC" }, /names with commas/],
  ["passkey", { transports: "," }, /names with commas/],
  ["view", { title: " Late" }, /its stored form/],
  ["view", { columns: '["a","a"]' }, /each once/],
  ["view", { columns: '{"a":1}' }, /a list of texts/],
  ["view", { columns: '[""]' }, /names of 1 to 200/],
  ["view", { filter: "{ }" }, /shortest form/],
  ["view", { path: "a//b" }, /"path"/],
  ["person", { preferences: "[]" }, /a JSON object/],
  ["passkey", { counter: -1 }, /"counter"/],
  ["passkey", { counter: 2 ** 32 }, /"counter"/],
  ["webhook", { url: "https://example.org" }, /"url"/],
  ["webhook", { url: "ftp://example.org/" }, /"url"/],
  ["webhook", { kinds: "entry.explode" }, /"kinds"/],
  ["webhook", { kinds: "entry.*,entry.*" }, /each once/],
  ["webhook", { paths: "/a" }, /"paths"/],
  ["webhook", { secret: "whsec_AAAA" }, /"secret" was "another text"/],
  ["webhook", { old_secret: null }, /or neither/],
  ["event", { sequence: 0 }, /"sequence"/],
  ["event", { kind: "entry.explode" }, /"kind"/],
  ["event", { target: null }, /"target"/],
  ["event", { kind: "entry.delete" }, /"target" was "b"; expected nothing/],
  ["event", { kind: "registry.set", subject: "a/b", target: null }, /"subject"/],
  ["event", { count: 0 }, /"count"/],
  ["event", { was_public: null }, /or none of them/],
  ["event", { is_public: 4 }, /"is_public"/],
  ["event_entry", { old_slug: "/a" }, /"old_slug"/],
  ["token", { paths: "a/" }, /"paths"/],
  ["token", { paths: "a\na" }, /"paths"/],
  ["token", { kind: "preview", resources: "registry" }, /"resources"/],
  ["token", { kind: "preview", resources: "entries", expires_at: null }, /"expires_at"/],
  ["token", { kind: "delivery", resources: "registry", paths: "a" }, /"paths"/],
  ["token", { kind: "delivery", resources: "entries", writes: "staged" }, /"writes"/],
  ["token", { writes: "staged" }, /"writes"/],
  ["token", { locales: "de" }, /"locales" was "de"; expected null for the kind delivery/],
  ["token", { kind: "management", locales: "de, fr" }, /"locales"/],
  ["token", { maker: "t-2" }, /"maker"/],
  ["token", { kind: "preview", resources: "entries", maker: "" }, /"maker"/],
  ["token", { release: "r-1" }, /"release"/],
  ["release", { state: "gone" }, /"state"/],
  ["release", { title: " Spring" }, /"title"/],
  ["release", { at: null }, /"at"/],
  ["release", { state: "open" }, /"at"/],
  ["release", { scheduled_by: null }, /"scheduled_by"/],
  ["working_copy", { data: "[]" }, /"data"/],
  ["working_copy", { fields: '{"slug":"x"}' }, /"fields"/],
  ["working_copy", { authors: "[]" }, /"authors"/],
  ["working_copy", { authors: '{"t-2":"a"}' }, /"authors"/],
  ["working_copy", { base: "[]" }, /"base"/],
  ["working_copy", { base: '{"x":{"a":""}}' }, /"base"/],
  ["working_copy", { base: '{"7":{"a":1}}' }, /"base"/],
  ["version", { noun: "folder" }, /"noun"/],
  ["version", { thing: "a/b" }, /"thing"/],
  ["version", { fields: '{"modified_at": 1}' }, /shortest form/],
  ["version", { fields: '{"modified_at":-1}' }, /"fields.modified_at"/],
  ["version", { fields: '{"modified_at":1,"title":"x"}' }, /"fields" was "title"/],
  ["version", { data: '{"a":1,"a":2}' }, /"data"/],
  ["version", { blob: hash }, /"blob"/],
  ["trash_item", { noun: "token" }, /"noun"/],
  ["trash_item", { path: "../a" }, /"path"/],
  ["trash_entry", { slug: "a//b" }, /"slug"/],
  ["trash_file", { name: "a/b" }, /one segment/],
  ["version", { locale: "DE" }, /"locale"/],
  ["version", { locale: "de", data: "{}" }, /"locale"/],
  ["translation", { locale: "" }, /"locale"/],
  ["translation", { locale: "de_AT" }, /"locale"/],
  ["translation", { name: "a/b" }, /"name"/],
  ["translation", { sources: "[]" }, /"sources"/],
  ["translation", { data: '{"uuid":1}' }, /uuid/],
  ["entry", { only_locales: "[]" }, /"only_locales"/],
  ["version", { is_deleted: 2 }, /"is_deleted"/],
  ["working_copy", { locale: "DE" }, /"locale"/],
  ["working_copy", { slug: "a" }, /"slug" was "a"/],
  ["working_copy", { published_revision: 7 }, /"slug" was ""/],
  ["working_copy", { published_revision: 7, slug: "a", release: null }, /"release"/],
  ["working_copy", { published_revision: 7, slug: "a", publish_at: 9, scheduled_by: "t-1" }, /"publish_at"/],
  ["type", { id: "A" }, /"id"/],
  ["type", { paths: '["a","a"]' }, /each once/],
  ["type", { paths: '["a//b"]' }, /"paths"/],
  ["type", { schema: "[]" }, /"schema"/],
  ["type", { mode: "maybe" }, /"mode"/],
  ["blob", { hash: "x" }, /"hash"/],
];
for (const [noun, part, fault] of bad) {
  test(`a ${noun} with ${JSON.stringify(part).slice(0, 60)} is refused`, () => {
    assert.match(rowFault(ruleOf(noun), { ...good[noun], ...part }) ?? "no fault", fault);
  });
}
test("a registry key that NFC decomposes is valid as stored", () => {
  assert.equal(rowFault(ruleOf("registry_item"), { ...good.registry_item, key: "\u0915\u093c" }), undefined);
});
test("an image's facts are all present or all absent", () => {
  assert.equal(rowFault(ruleOf("file"), { ...good.file, width: null, height: null, is_color: null }), undefined);
  assert.match(rowFault(ruleOf("file"), { ...good.file, is_color: null }) ?? "", /or none of them/);
});

test("a row of an older backup gets the columns that it lacks", () => {
  const { uuid: _, ...file } = good.file;
  const [one, other] = [completeRow(ruleOf("file"), file), completeRow(ruleOf("file"), file)];
  assert.equal(rowFault(ruleOf("file"), one), undefined);
  assert.notEqual(one.uuid, other.uuid);
  const { paths, writes, maker, release: none, ...token } = good.token;
  assert.deepEqual(completeRow(ruleOf("token"), token), { ...token, paths, writes, maker, release: none });
  const { uuid, was_public, is_public, outdated, ...event } = good.event;
  const lacking = { uuid: null, was_public: null, is_public: null, outdated, ...noRequest };
  assert.deepEqual(completeRow(ruleOf("event"), event), { ...event, ...lacking });
  assert.equal(completeRow(ruleOf("entry"), good.entry), good.entry);
});

test("rows are named by their keys", () => {
  const names = (Object.entries(good) as [StoredNoun, BackupRow][]).map(([noun, row]) => rowName(ruleOf(noun), row));
  assert.deepEqual(names, [
    'state "signing_key"',
    'folder "a/b"',
    'file "a/b.png"',
    'entry "a/b"',
    'registry item "site.name"',
    'token "t-1"',
    "event 1",
    'event entry "1 00000000-0000-4000-8000-000000000000"',
    "trash item 1",
    'version "registry_item site.name before 2"',
    'trash entry "1 a/b"',
    'trash folder "1 a/b"',
    'trash file "1 a/b.txt"',
    'release "r-1"',
    'working copy "00000000-0000-4000-8000-000000000000"',
    'type "movie"',
    'role "news"',
    'person "00000000-0000-4000-8000-000000000002"',
    'passkey "00000000-0000-4000-8000-000000000003"',
    'webhook "00000000-0000-4000-8000-000000000004"',
    'view "00000000-0000-4000-8000-000000000004"',
    'translation "00000000-0000-4000-8000-000000000000 de-AT"',
    'file translation "00000000-0000-4000-8000-000000000001 de"',
    `blob "${hash}"`,
  ]);
  assert.equal(rowName(ruleOf("file"), { ...good.file, folder: "" }), 'file "b.png"');
});

test("a field of entries that is added later is not set in older backups", () => {
  const added = { key: "publishedBy", name: "reviewed_by", insteadOf: "reviewer", isAdded: true } as const;
  const older = (field: Pick<EntryField, "kind" | "unset">) =>
    fieldColumn({ ...added, ...field }).older?.({ created_at: 7 });
  assert.equal(older({ kind: "text", unset: () => "" }), "");
  assert.equal(older({ kind: "flag", unset: () => true }), 1);
  assert.equal(older({ kind: "date", unset: ({ createdAt }) => createdAt }), 7);
  assert.equal(fieldColumn({ ...added, kind: "text", isAdded: false }).older, undefined);
});
