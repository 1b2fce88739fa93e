import { Checkbox, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { openEntry } from "../api/staged.ts";
import { readOnlyLocales, restrictEntry } from "../api/translation.ts";
import { say } from "../language/say.ts";
import type { ConcurrentChange, StoredState } from "../model/draft/editing.ts";
import { languageOf } from "../model/locale.ts";
import { rereadEntries } from "../query/entry.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { Failure, Loading } from "../ui/state.tsx";

type WhereProps = { editing: Pick<StoredState, "base"> & Pick<ConcurrentChange, "follow">; onClose(): void };

const title = say("Where it is public");

/** Asks in which languages alone the entry is public: at once, and of all languages. */
export function WherePublic({ editing, onClose }: WhereProps) {
  const { slug } = editing.base;
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", slug, "only-locales"],
    queryFn: () => readOnlyLocales(slug),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (data !== undefined) return <Languages editing={editing} only={data} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      {error ? (
        <Failure error={error} title={say("The languages cannot be read")} onRetry={() => void refetch()} />
      ) : (
        <Loading rows={3} />
      )}
    </Dialog>
  );
}

function Languages({ editing, only, onClose }: WhereProps & { only: readonly string[] | null }) {
  const { slug } = editing.base;
  const { locales, token } = useSession();
  const mayChange = useWritesLive() && !token.locales;
  const [isAll, setAll] = useState(only === null);
  const [chosen, setChosen] = useState<string[]>([...(only ?? [])]);
  const submit = async (): Promise<void> => {
    await restrictEntry(slug, isAll ? null : chosen);
    editing.follow(await openEntry(slug));
    queries.removeQueries({ queryKey: ["entry", slug, "only-locales"] });
    await Promise.all([rereadEntries(), refresh("translations")]);
  };
  return (
    <FormDialog
      title={title}
      submit={say("Set")}
      isDisabled={!mayChange || (!isAll && chosen.length === 0)}
      onSubmit={submit}
      onClose={onClose}
    >
      {!mayChange && (
        <Text size="sm">{say("Only who publishes in every language says where an entry is public.")}</Text>
      )}
      <Radio.Group
        label={say("Readers of")}
        value={isAll ? "all" : "some"}
        onChange={(value) => setAll(value === "all")}
        readOnly={!mayChange}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={say("All languages")} disabled={!mayChange} />
          <Radio value="some" label={say("These languages alone")} disabled={!mayChange} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Checkbox.Group aria-label={say("Languages")} value={chosen} onChange={setChosen}>
          <Stack gap="xs" ps={28}>
            {locales?.map((locale) => (
              <Checkbox key={locale} value={locale} label={languageOf(locale)} disabled={!mayChange} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Text size="sm" c="dimmed">
        {say(
          "It is set at once. Elsewhere the entry is not found and in no list; what the source says still stands in where a translation is missing.",
        )}
      </Text>
    </FormDialog>
  );
}
