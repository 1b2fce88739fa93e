/**
 * Passwords that are guessed first. The list is generated from words that every published list of breached passwords
 * begins with, what people append to them, and rows of keys. Shorter ones than eight characters are refused anyway.
 */

const words = `
  password passwort passw0rd p@ssword p@ssw0rd pa55word pass welcome welcome1 letmein admin administrator root user
  guest login master changeme default secret test testing tester qwerty qwertz azerty abc abcd iloveyou iloveu loveme
  lovely love monkey dragon football baseball basketball soccer hockey superman batman spiderman starwars pokemon
  pikachu princess sunshine shadow michael jennifer jessica ashley charlie jordan daniel thomas andrew joshua matthew
  nicole hannah anthony robert hunter ranger buster killer pepper ginger cookie cheese chocolate computer internet
  samsung google facebook whatever trustno trustno1 freedom mustang corvette ferrari mercedes porsche harley yankees
  liverpool arsenal chelsea barcelona juventus flower butterfly purple orange banana summer winter spring autumn
  january february october november december monday friday hello hello123 hallo ficken schatz hottie babygirl angel
  blink blessed jesus christ family forever friends single yellow silver golden diamond maverick phoenix matrix
  access server oracle cisco database octavo editor content website
`
  .split(/\s+/)
  .filter(Boolean);

const numbers =
  "0 1 2 3 7 11 12 13 21 22 23 69 77 88 99 00 01 007 111 123 321 666 777 999 1234 4321 12345 123456 1234567 12345678 123456789".split(
    " ",
  );
const years = Array.from({ length: 61 }, (_, i) => String(1975 + i));
const endings = ["", ...numbers, ...years].flatMap((end) => [end, `${end}!`, `${end}.`, `@${end}`, `!${end}`]);

/** Rows of keys, of which every part, either way and twice, is common. */
const rows = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop[]",
  "asdfghjkl;'",
  "zxcvbnm,./",
  "qwertzuiopü",
  "yxcvbnm,.-",
  "azertyuiop",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "qazwsxedcrfvtgbyhnujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "zaq12wsxcde34rfv",
  "!@#$%^&*()",
  "147258369",
  "159357456",
  "741852963",
  "qweasdzxcrtyfghvbn",
  "789456123",
];
const backwards = (text: string): string => [...text].reverse().join("");
const runs = [...rows, ...rows.map(backwards), "qwertyuiopasdfghjklzxcvbnm", "112233445566778899", "11223344"];

/** Made when the first password is set: a start does without. */
let made: ReadonlySet<string> | undefined;

const make = (): ReadonlySet<string> =>
  new Set([
    ...words.flatMap((word) => [...endings.map((end) => word + end), word + word]),
    ...numbers.flatMap((number) => words.slice(0, 60).map((word) => number + word)),
    "admin1234",
    "abc12345",
    "a1b2c3d4",
    "aa123456",
    "q1w2e3r4",
    "1q2w3e4r5t",
    "qwerty12",
    "asdf1234",
    "zxcv1234",
    "asdfasdf",
    "qweqweqwe",
    "asdasdasd",
    "zxczxczxc",
    "123qweasd",
    "123123qwe",
    "qwe123qwe",
    "1234qwer",
    "qwer1234",
    "thequickbrownfox",
    "ncc1701d",
    "rush2112",
    "letmeinnow",
    "opensesame",
    "nopassword",
    "mypassword",
    "yourpassword",
    "newpassword",
    "thisisapassword",
    "123abc456",
    "access14",
    "g00gle123",
    "myspace1",
    "linkedin",
    "dropbox1",
    "whatever1",
    "iloveyou!",
    "password1!",
    "lol12345",
  ]);

const maxRepeated = 16;
const isRepeated = (text: string): boolean => text.length <= maxRepeated && /^(.{1,4})\1+$/su.test(text);

/** True for a password of the list, whatever its case, a part of a row of keys, and a few characters that are repeated. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  made ??= make();
  return made.has(text) || runs.some((run) => run.includes(text)) || isRepeated(text);
}
