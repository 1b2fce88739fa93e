import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { isNumberedOf, isSentName, numberedName, sentNameOf, splitName, titleOf, uploadName } from "./name.ts";

const safe: [fileName: string, name: string][] = [
  ["cover.jpg", "cover.jpg"],
  ["Ünïcödé фото.png", "uenicoede-foto.png"],
  ["照片.JPG", "zhaopian.jpg"],
  ["MyPhoto.JPG", "myphoto.jpg"],
  ["my_photo  (1).png", "my-photo-1.png"],
  ["Tom & Jerry's.png", "tom-jerry-s.png"],
  ["archive.tar.GZ", "archive-tar.gz"],
  ["cafe\u0301.png", "cafe.png"],
  ["Łódź.png", "lodz.png"],
  ["😀.png", "grinning.png"],
  ["..png", "file.png"],
  [".png", "file.png"],
  ["???.png", "file.png"],
  ["---.png", "file.png"],
  [".hidden.png", "hidden.png"],
  [".htaccess", "file.htaccess"],
  ["photo.", "photo"],
  [" photo. png . ", "photo.png"],
  ["", "file"],
  ["...", "file"],
  ["dir/", "file"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Pictures\\x y.png", "x-y.png"],
  ["a/b\\c/d.png", "d.png"],
  ["a\0b\n.png", "a-b.png"],
  ["a%2e%2e%2fb.png", "a-2e-2e-2fb.png"],
  ["a\ud800.png", "a.png"],
  ["x.<b>", "x.b"],
  [`${"x".repeat(199)}--y.png`, `${"x".repeat(199)}.png`],
  [`${"x".repeat(9000)}.png`, `${"x".repeat(200)}.png`],
];
for (const [fileName, name] of safe) {
  test(`${JSON.stringify(fileName.slice(0, 40))} made safe is ${name.slice(0, 40)}`, async () => {
    assert.equal(await uploadName(fileName, true), name);
  });
}

test("a safe name is lower-case ASCII, fits a segment, and is a fixed point", async () => {
  const fileName = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.string({ maxLength: 400 }),
  );
  await fc.assert(
    fc.asyncProperty(fileName, async (text) => {
      const name = await uploadName(text, true);
      assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]{1,50})?$/);
      assert.ok(name.length <= 251);
      assert.equal(await uploadName(name, true), name);
    }),
  );
});

const kept: [fileName: string, name: string][] = [
  ["Ünïcödé фото.PNG", "Ünïcödé фото.png"],
  ["cafe\u0301_2.png", "café_2.png"],
  ["a\0b\n.png", "ab.png"],
  ["???.png", "???.png"],
  [".png", "file.png"],
  ["", "file"],
  ["../../etc/passwd", "passwd"],
  [" . photo .png ", "photo.png"],
  [`${"é".repeat(300)}.png`, `${"é".repeat(125)}.png`],
  [`${"😀".repeat(300)}.png`, `${"😀".repeat(62)}.png`],
];
for (const [fileName, name] of kept) {
  test(`${JSON.stringify(fileName.slice(0, 40))} not made safe is ${name.slice(0, 40)}`, async () => {
    assert.equal(await uploadName(fileName, false), name);
  });
}

test("a name with an encoded path traversal is refused when it is not made safe", async () => {
  for (const fileName of ["a%2fb.png", "%2e%2e%2f.png", "a%5cb.png", "a%00.png"]) {
    await assert.rejects(uploadName(fileName, false), { code: "path_invalid" });
  }
  await assert.rejects(uploadName("a\ud800.png", false), { code: "text_invalid" });
  await assert.rejects(uploadName(`a\ud800${"x".repeat(300)}.png`, false), { code: "text_invalid" });
});

test("a long hostile name is shortened", async () => {
  const shapes: [part: string, safe: RegExp, asSent: RegExp][] = [
    [".", /^x\.png$/, /^x\.png$/],
    [" ", /^x\.png$/, /^x\.png$/],
    ["-", /^file\.png$/, /^-+\.png$/],
    ["照", /^(?:zhao)+\.png$/, /^照+\.png$/],
    ["a.", /^(?:a-)+a?\.png$/, /^(?:a\.)+a?\.png$/],
    [". ", /^x\.png$/, /^x\.png$/],
  ];
  for (const [part, safe, asSent] of shapes) {
    for (const [isSafe, shape] of [
      [true, safe],
      [false, asSent],
    ] as const) {
      const name = await uploadName(`${part.repeat(20_000)}x.png`, isSafe);
      assert.match(name, shape, JSON.stringify(part));
      assert.ok(Buffer.byteLength(name) <= 255, `${Buffer.byteLength(name)} bytes`);
    }
  }
});

const numbered: [name: string, number: number, result: string][] = [
  ["cover.jpg", 2, "cover-2.jpg"],
  ["archive.tar.gz", 1, "archive.tar-1.gz"],
  ["cover", 3, "cover-3"],
  [".htaccess", 1, ".htaccess-1"],
  ["cover.", 1, "cover.-1"],
  ["Cover.JPG", 10, "Cover-10.JPG"],
  [`${"x".repeat(251)}.jpg`, 12, `${"x".repeat(248)}-12.jpg`],
  [`${"é".repeat(125)}.jpg`, 1, `${"é".repeat(124)}-1.jpg`],
];
for (const [name, number, result] of numbered) {
  test(`${name.slice(0, 40)} with the number ${number} is ${result.slice(0, 40)}`, () => {
    assert.equal(numberedName(name, number), result);
    assert.ok(Buffer.byteLength(result) <= 255);
  });
}

const sent: [fileName: string, sentName: string, title: string][] = [
  ["My Photo.JPG", "My Photo.JPG", "My Photo"],
  ["C:\\fakepath\\a.png", "a.png", "a"],
  ["a/b/ c .png", " c .png", "c"],
  ["cafe\u0301.png", "café.png", "café"],
  ["a\nb\u0000.png", "ab.png", "ab"],
  [".png", ".png", "stored"],
  ["\ud800.png", "\ufffd.png", "\ufffd"],
  ["é".repeat(600), "é".repeat(500), "é".repeat(500)],
];
for (const [fileName, sentName, title] of sent) {
  test(`"${fileName.slice(0, 20)}" is kept, and gives the title`, () => {
    assert.equal(sentNameOf(fileName), sentName);
    assert.ok(isSentName(sentName));
    assert.equal(titleOf(sentName, "stored.png"), title);
  });
}
test("a kept name has no folder, no control character and at most 1,000 bytes", () => {
  for (const name of ["a/b", "a\\b", "a\n", "e\u0301", "é".repeat(501)]) assert.ok(!isSentName(name), name);
});
test("a name is a numbered one of another, cut or not", () => {
  const long = `${"a".repeat(251)}.png`;
  for (const name of ["a.png", "a-1.png", "a-23.png"]) assert.ok(isNumberedOf(name, "a.png"), name);
  assert.ok(isNumberedOf(numberedName(long, 12), long));
  assert.ok(isNumberedOf("a-2", "a"));
  for (const name of ["b-1.png", "a-0.png", "a-01.png", "a-1.jpg", "a-x.png", "a-1-1.png"])
    assert.ok(!isNumberedOf(name, "a.png"), name);
});

const parts: [name: string, basename: string, extension: string][] = [
  ["cover.jpg", "cover", "jpg"],
  ["Cover.JPG", "Cover", "JPG"],
  ["a.b.c", "a.b", "c"],
  ["cover", "cover", ""],
  [".htaccess", ".htaccess", ""],
  [".a.png", ".a", "png"],
  ["a.", "a.", ""],
];
for (const [name, basename, extension] of parts) {
  test(`${name} is ${basename} and ${extension || "no extension"}`, () => {
    assert.deepEqual(splitName(name), { basename, extension });
  });
}
