import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { OctavoProblem } from "../../../client/src/client.ts";
import { nameOf } from "../api/path.ts";
import { openEntry, type Translated } from "../api/staged.ts";
import { nameTranslation } from "../api/translation.ts";
import { say } from "../language/say.ts";
import type { ConcurrentChange, StoredState } from "../model/draft/editing.ts";
import { languageName } from "../model/locale.ts";
import { messageOf } from "../model/message.ts";
import { PathDialog } from "../move/path-dialog.tsx";
import { rereadEntries } from "../query/entry.ts";
import { useWritesLive } from "../session-context.ts";
import { refresh } from "../ui/query.ts";

type PathProps = { editing: StoredState & Pick<ConcurrentChange, "follow">; translation: Translated };

/** The path of the entry in a language, and how to change its last part: at once, since a name is never staged. */
export function TranslatedPath({ editing, translation }: PathProps) {
  const [isNaming, naming] = useDisclosure(false);
  const { locale, row, path } = translation;
  const language = languageName(locale);
  const mayName = useWritesLive(locale) && editing.copy?.publishAt === undefined;
  return (
    <div className="translated-path">
      <Text size="xs" c="dimmed">
        {say("Path in {language}", { language })}
      </Text>
      <bdi className="mono">{path}</bdi>
      {mayName && row.exists && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={say("Change the path in {language}", { language })}
          onClick={naming.open}
        >
          {say("Change…")}
        </Button>
      )}
      {mayName && !row.exists && (
        <Text size="xs" c="dimmed">
          {say("It can be changed once {language} is published.", { language })}
        </Text>
      )}
      {isNaming && <NameDialog editing={editing} translation={translation} onClose={naming.close} />}
    </div>
  );
}

function NameDialog({ editing, translation, onClose }: PathProps & { onClose(): void }) {
  const { slug } = editing.base;
  const { locale, row } = translation;
  const language = languageName(locale);
  const name = async (typed: string): Promise<void> => {
    await nameTranslation({ slug, locale }, typed === "" ? null : typed);
    editing.follow(await openEntry(slug, locale));
    await Promise.all([rereadEntries(), refresh("translations")]);
  };
  return (
    <PathDialog
      title={say("Path in {language}", { language })}
      submit={say("Change")}
      label={say("Name in {language}", { language })}
      initial={row.name ?? ""}
      isEmptyAllowed
      help={say(
        "The last part of the path, on the site at once. Empty takes it away: then it is {name}, or the name in the language that {language} falls back to. Paths above and below stay.",
        { name: nameOf(slug), language },
      )}
      faultOf={(error) => (isOfName(error) ? messageOf(error) : undefined)}
      onSubmit={name}
      onClose={onClose}
    />
  );
}

const ofName = new Set(["name_taken", "path_invalid", "argument_invalid"]);
const isOfName = (error: unknown): boolean => error instanceof OctavoProblem && ofName.has(error.code);
