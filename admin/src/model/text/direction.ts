/** From which side a text is written. */

const letter = /\p{L}/u;
const fromTheRight =
  /^[\p{Script=Adlam}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hanifi_Rohingya}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** That of its first letter; undefined without one. */
export function directionOf(text: string): "ltr" | "rtl" | undefined {
  const [first] = letter.exec(text) ?? [];
  if (first === undefined) return undefined;
  return fromTheRight.test(first) ? "rtl" : "ltr";
}
