import { say } from "../language/say.ts";
import { formatBytes } from "../model/format.ts";
import { type Media, wordsOf } from "../model/media.ts";
import { useSession } from "../session-context.ts";

/** Which files are taken, and how large they may be: `Pictures only, up to 50 MB`. */
export function Limits({ media }: { media: Media }) {
  const { upload_max_bytes: most } = useSession();
  return (
    <>
      {most === undefined
        ? wordsOf(media)
        : say("{words}, up to {most}", { words: wordsOf(media), most: formatBytes(most) })}
    </>
  );
}
