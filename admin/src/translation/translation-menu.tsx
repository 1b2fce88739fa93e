import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Ellipsis, Link2 } from "lucide-react";
import { copyKey, openEntry, openedTitle, type Translated } from "../api/staged.ts";
import type { Autosave } from "../draft/autosave.ts";
import { say } from "../language/say.ts";
import type { SaveState, StoredState } from "../model/draft/editing.ts";
import { languageName } from "../model/locale.ts";
import { PreviewLinks } from "../preview/preview-links.tsx";
import { rereadAll } from "../query/entry.ts";
import { useWritesLive } from "../session-context.ts";
import { moveToTrash } from "../trash/delete.ts";
import { refresh } from "../ui/query.ts";
import { RemovalItem } from "../ui/row-menu.tsx";

type MenuProps = { editing: StoredState & SaveState; translation: Translated; autosave: Autosave };

/** Actions on what the entry says in a language as a whole. */
export function TranslationMenu({ editing, translation, autosave }: MenuProps) {
  const { locale, row } = translation;
  const [isLinking, linking] = useDisclosure(false);
  const mayPublish = useWritesLive(locale);
  const { base, isDirty } = editing;
  const isFrozen = editing.copy?.publishAt !== undefined;
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size={34} variant="default" aria-label={say("More actions")}>
            <Ellipsis size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayPublish && (
            <Menu.Item leftSection={<Link2 size={15} />} onClick={linking.open}>
              {say("Preview links…")}
            </Menu.Item>
          )}
          <Menu.CheckboxItem checked={autosave.isOn} onChange={autosave.set} closeMenuOnClick>
            {say("Save automatically")}
          </Menu.CheckboxItem>
          {mayPublish && (
            <RemovalItem
              label={say("Delete {language}", { language: languageName(locale) })}
              disabled={isDirty || isFrozen || !row.exists}
              onClick={() => void removeTranslation(editing, translation)}
            />
          )}
        </Menu.Dropdown>
      </Menu>
      {isLinking && <PreviewLinks slug={base.slug} locale={locale} isDirty={isDirty} onClose={linking.close} />}
    </>
  );
}

/** Moves it to the trash, with an undo; the form stays, of a language in which the entry says nothing. */
function removeTranslation({ base, take }: StoredState, translation: Translated): Promise<boolean> {
  const { slug } = base;
  const { locale } = translation;
  const thing = {
    noun: "entry" as const,
    path: slug,
    locale,
    key: `entry:${copyKey({ id: slug, locale })}`,
    name: say("{title} in {language}", {
      title: openedTitle(base, translation),
      language: languageName(locale),
    }),
  };
  return moveToTrash([thing], async () => {
    take(await openEntry(slug, locale));
    await Promise.all([rereadAll(), refresh("translations")]);
  });
}
