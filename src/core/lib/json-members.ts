/**
 * The members of an object, as their texts, of a JSON text that this service has formatted: whoever takes some of one
 * object and some of another need not parse them.
 */

/** By the text of its key the text of each member, with its key. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  for (let at = 1; text[at] === '"'; ) {
    const keyEnd = endOfString(text, at);
    const end = endOfValue(text, keyEnd + 1);
    members.set(text.slice(at, keyEnd), text.slice(at, end));
    at = end + 1;
  }
  return members;
}

/** The object of these members. */
export const objectOfMembers = (members: ReadonlyMap<string, string>): string => `{${[...members.values()].join(",")}}`;

/** The place after the string that begins here. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    at = text.indexOf('"', at);
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

const [quote, open, close, comma] = [0x22, 0x7b, 0x7d, 0x2c];
const [openList, closeList] = [0x5b, 0x5d];

/** The place after the value that begins here: that of a comma, or of the end of the object. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === open || code === openList) depth++;
    else if (depth === 0 && (code === comma || code === close)) return at;
    else if (code === close || code === closeList) depth--;
  }
}
