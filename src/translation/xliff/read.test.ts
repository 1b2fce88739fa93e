import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { readXliff } from "./read.ts";

const ns2 = "urn:oasis:names:tc:xliff:document:2.0";
const ns12 = "urn:oasis:names:tc:xliff:document:1.2";
const file21 = (inside: string, head = `srcLang="en" trgLang="de"`): string =>
  `<xliff xmlns="${ns2}" version="2.1" ${head}><file id="f">${inside}</file></xliff>`;
const file12 = (inside: string, languages = `source-language="en" target-language="de"`): string =>
  `<xliff xmlns="${ns12}" version="1.2"><file original="f" datatype="plaintext" ${languages}><body>${inside}</body></file></xliff>`;
const unit = (inside: string): string => `<unit id="u" name="n">${inside}</unit>`;
const segment = (source: string, target: string): string =>
  `<segment><source>${source}</source><target>${target}</target></segment>`;

async function refusalOf(chunks: Iterable<string>, maxLength = 2e6): Promise<string> {
  try {
    await readXliff(chunks, maxLength);
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

const refused: [what: string, file: string, said: RegExp][] = [
  ["nothing", "", /xliff_invalid.*line 1/],
  ["what is no XML", "PK\u0003\u0004 zip", /xliff_invalid/],
  ["a truncated file", file21(unit(segment("a", "b"))).slice(0, -9), /unclosed tag/],
  ["tags that do not match", file21("<unit id='u'></segment></unit>"), /unexpected close tag/],
  ["another root", "<tmx version='1.4'/>", /the root element is "tmx".*expected XLIFF 2\.1 or 1\.2/],
  ["version 2.2", file21("").replace("2.1", "2.2"), /version "2\.2" in the namespace/],
  ["version 1.1", file12("").replaceAll("1.2", "1.1"), /version "1\.1"/],
  ["no version", file21("").replace('version="2.1"', ""), /version ""/],
  ["another namespace", file21("").replace(ns2, "urn:x"), /in the namespace "urn:x"/],
  ["2.1 in the namespace of 1.2", file21("").replace(ns2, ns12), /version "2\.1" in the namespace/],
  ["no source language", file21("", `trgLang="de"`), /"srcLang" is missing/],
  ["no target language", file12("", `source-language="en"`), /"target-language" is missing/],
  ["no file in 1.2", `<xliff xmlns="${ns12}" version="1.2"/>`, /no languages/],
  [
    "several languages",
    file12("").replace("</xliff>", `<file source-language="en" target-language="fr"/></xliff>`),
    /other languages/,
  ],
  ["a DOCTYPE", `<!DOCTYPE xliff>${file21("")}`, /a DOCTYPE/],
  ["entities", `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${file21(unit(segment("&b;", "c")))}`, /a DOCTYPE/],
  ["an external entity", `<!DOCTYPE x SYSTEM "file:///etc/passwd">${file21("")}`, /a DOCTYPE/],
  ["an unknown entity", file21(unit(segment("&nbsp;", "b"))), /undefined entity/],
  ["an unbound prefix", file21("<x:y/>"), /unbound namespace prefix/],
  ["a character that XML has not", file21(unit(segment("\u0001", "b"))), /disallowed character/],
  ["elements in each other", file21("<group>".repeat(100)), /elements more than 64 deep/],
  [
    "inline elements in each other",
    file21(unit(`<segment><source>${"<pc id='1'>".repeat(5000)}`)),
    /more than 64 deep/,
  ],
];
for (const [what, file, said] of refused)
  test(`refused: ${what}`, async () => {
    assert.match(await refusalOf([file]), said);
    assert.match(await refusalOf(file), said, "one character at a time");
  });

test("the message has the line", async () => {
  assert.match(await refusalOf([file21("\n\n<a></b>")]), /at line 3:/);
});

test("a file above the limit, and one whose root does not come, are not read to their ends", async () => {
  let taken = 0;
  function* endless(begin: string, part: string): Generator<string> {
    yield begin;
    for (;;) {
      taken += part.length;
      yield part;
    }
  }
  assert.match(await refusalOf(endless(file21("").slice(0, -15), "<!-- comment -->"), 1e6), /body_too_large/);
  assert.ok(taken < 1.1e6);
  taken = 0;
  for (const begin of ["<!DOCTYPE x [", "<!--", "<?pi ", "<xliff a='", " "])
    assert.match(
      await refusalOf(endless(begin, "x".repeat(1000)), 1e9),
      /no root element at the beginning|outside of root/,
    );
  assert.ok(taken < 5e5, String(taken));
});

test("a wide file is read in time that grows with its length", async () => {
  const many = "<mrk id='1'>a</mrk><ph id='1' dataRef='d'/>".repeat(20_000);
  const { units } = await readXliff(
    [file21(unit(`<originalData><data id="d">x</data></originalData>${segment(many, many)}`))],
    1e7,
  );
  assert.equal(units[0]?.parts[0]?.source.length, 40_000);
  const marks = Array.from({ length: 20_000 }, (_, i) => `<mrk mtype="seg" mid="${i}">a</mrk>`).join("");
  const old = await readXliff(
    [
      file12(
        `<trans-unit id="u"><source>x</source><seg-source>${marks}</seg-source><target>${marks}</target></trans-unit>`,
      ),
    ],
    1e7,
  );
  assert.equal(old.units[0]?.isPartial, false);
  const attributes = Array.from({ length: 50_000 }, (_, i) => `a${i}="1"`).join(" ");
  await readXliff([file21(`<unit id="u" ${attributes}/>`)], 1e7);
});

const join = (pieces: readonly (string | { text: string })[] | undefined): string | undefined =>
  pieces?.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

const inline: [what: string, file: string, source: string, target: string | undefined][] = [
  [
    "codes of 2.1",
    file21(
      unit(`<originalData><data id="d1">A<cp hex="0001"/></data><data id="d2">B</data></originalData>
    <segment><source>x<ph id="1" dataRef="d1"/><pc id="2" dataRefStart="d2" dataRefEnd="d1">y</pc><sc id="3" dataRef="d2"/><ec startRef="3" dataRef="d2"/></source></segment>`),
    ),
    "xA\u0001ByA\u0001BB",
    undefined,
  ],
  [
    "codes of 1.2",
    file12(
      `<trans-unit id="u"><source>x<ph id="1">A</ph><g id="2">y<x id="3" equiv-text="C"/></g><bpt id="4">D</bpt><ept id="4">E</ept></source><target/></trans-unit>`,
    ),
    "xAyCDE",
    "",
  ],
  [
    "annotations, CDATA, comments, references",
    file21(unit(segment(`<mrk id="1" translate="no">a</mrk><![CDATA[<b>]]><!-- c -->&#x64;&amp;`, "e"))),
    "a<b>d&",
    "e",
  ],
  [
    "characters",
    file21(unit(segment(`<cp hex="FFFE"/><cp hex="1F600"/><cp hex="110000"/><cp hex="x"/><cp/>`, "a"))),
    "\ufffe😀\ufffd\ufffd\ufffd",
    "a",
  ],
  [
    "matches and alternatives are none",
    file12(
      `<trans-unit id="u"><source>a</source><alt-trans><source>b</source><target>c</target></alt-trans></trans-unit>`,
    ),
    "a",
    undefined,
  ],
  [
    "a prefix instead of the default namespace",
    file21(unit(segment("a", "b")))
      .replace("xmlns=", "xmlns:x=")
      .replaceAll(/<(\/?)(?=[a-z])/g, "<$1x:"),
    "a",
    "b",
  ],
  [
    "a byte order mark and a declaration",
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n${file21(unit(segment("a", "b")))}`,
    "a",
    "b",
  ],
  [
    "version 2.0, in a group",
    file21(`<group id="g">${unit(segment("a", "b"))}</group>`).replace("2.1", "2.0"),
    "a",
    "b",
  ],
  [
    "elements of a prototype's names",
    file21(unit(segment(`<constructor>a</constructor><__proto__ hasOwnProperty="1">b</__proto__>`, "c"))),
    "ab",
    "c",
  ],
];
for (const [what, file, source, target] of inline)
  test(`read: ${what}`, async () => {
    for (const chunks of [[file], file.split("")]) {
      const { units, sourceLocale, targetLocale } = await readXliff(chunks, 1e5);
      assert.deepEqual([sourceLocale, targetLocale, units.length], ["en", "de", 1]);
      assert.deepEqual([join(units[0]?.parts[0]?.source), join(units[0]?.parts[0]?.target)], [source, target]);
    }
  });

test("a unit without a name goes by its id", async () => {
  const { units } = await readXliff([file12(`<trans-unit id="one"><source>a</source></trans-unit>`)], 1e5);
  assert.deepEqual([units[0]?.id, units[0]?.name], ["one", "one"]);
});
