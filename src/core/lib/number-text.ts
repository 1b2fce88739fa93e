/** Numbers one after the other as a text: in base 32, least digit first; the last digit of each is another letter. */

const digits = "0123456789abcdefghijklmnopqrstuv";
const lastDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_!#";

/** By the code of a letter its digit; 32 more for the last one of a number. Readers loop over it, since they read millions. */
export const digitOf = new Uint8Array(128);
for (let i = 0; i < 32; i++) {
  digitOf[digits.charCodeAt(i)] = i;
  digitOf[lastDigits.charCodeAt(i)] = i | 32;
}

/** A whole number from 0. */
export function formatNumber(number: number): string {
  let text = "";
  let left = number;
  for (; left > 31; left = Math.floor(left / 32)) text += digits[left % 32];
  return text + lastDigits[left];
}
