import { Alert, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Token } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOfEntry, listPreviews, makePreview, type Preview } from "../api/preview.ts";
import { type Life, previewLives, usualLife } from "../api/token.ts";
import { say } from "../language/say.ts";
import { useActorName } from "../query/actor-name.ts";
import { useSession } from "../session-context.ts";
import { CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { openedKey, unsavedNote, usePreviewed } from "./preview.tsx";

type PreviewLinksProps = {
  slug: string;
  /** Of a translation. */
  locale?: string;
  isDirty: boolean;
  onClose(): void;
};

/** Makes links to a preview of the entry for people who are not signed in, and lists and revokes those there are. */
export function PreviewLinks({ slug, locale, isDirty, onClose }: PreviewLinksProps) {
  const previewed = usePreviewed(slug, locale);
  const { preview_url: template } = useSession();
  return (
    <Dialog onClose={onClose} title={say("Preview links")} size="lg">
      <Stack gap="md">
        <Text size="sm">
          {say(
            "Whoever has a link reads this entry and all below it as saved, drafts and changes that are not published too, and elsewhere what is public.",
          )}
        </Text>
        {isDirty && <Alert color="yellow">{unsavedNote}</Alert>}
        <NewLink make={(life) => makePreview(previewed, template, life)} />
        <PreviewList
          queryKey={["previews", slug]}
          read={() => listPreviews(isOfEntry(slug))}
          onRevoked={() => queries.removeQueries({ queryKey: openedKey(slug) })}
        />
      </Stack>
    </Dialog>
  );
}

/** Makes a link, copies it and shows it once. */
export function NewLink({ make: makeFor }: { make(life: Life | undefined): Promise<Preview> }) {
  const { preview_url: template } = useSession();
  const [life, setLife] = useState<string | null>(usualLife("preview"));
  const [made, setMade] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const clipboard = useClipboard();
  const make = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const preview = await makeFor(previewLives.find(({ label }) => label === life));
      setMade(preview);
      clipboard.copy(preview.link ?? preview.token);
      await refresh("previews");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Group gap="xs" align="flex-end">
        <Select
          label={say("Expires")}
          data={previewLives.map(({ label }) => label)}
          value={life}
          onChange={setLife}
          allowDeselect={false}
          data-autofocus
          flex={1}
        />
        <Button loading={isBusy} onClick={() => void make()}>
          {template === undefined ? say("Copy preview token") : say("Copy preview link")}
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} title={say("No link was made")} />}
      {made && <Made preview={made} />}
    </>
  );
}

function Made({ preview: { link, token, api } }: { preview: Preview }) {
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">{say("It is shown this once.")}</Text>
      {link === undefined ? (
        <>
          <CopyLine value={token} label={say("Copy the token")} />
          <Text size="sm">{say("The argument token of the API, or the header Authorization: Bearer:")}</Text>
          <CopyLine value={api} label={say("Copy the address")} />
        </>
      ) : (
        <CopyLine value={link} label={say("Copy the link")} />
      )}
    </Stack>
  );
}

type ListProps = { queryKey: string[]; read(): Promise<Token[]>; onRevoked?(): void };

/** The links there are, each of which can be revoked. */
export function PreviewList({ queryKey, read, onRevoked }: ListProps) {
  const { data: links, error, refetch } = useQuery({ queryKey, queryFn: read, staleTime: 0 });
  if (error) return <Failure error={error} title={say("The links cannot be listed")} onRetry={() => void refetch()} />;
  if (!links) return <Loading rows={2} height={36} />;
  if (links.length === 0) return null;
  return (
    <section aria-label={say("Links")}>
      <Stack component="ul" gap="xs" className="plain-list">
        {links.map((link) => (
          <Link key={link.id} link={link} onRevoked={onRevoked} />
        ))}
      </Stack>
    </section>
  );
}

type LinkProps = { link: Token; onRevoked: ListProps["onRevoked"] };

function Link({ link: { id, maker, created_at: made, expires_at: end }, onRevoked }: LinkProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const actorName = useActorName();
  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      await octavo.tokens.previews.revoke(id);
      onRevoked?.();
      await refresh("previews");
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">
          {sayParts("Made {time}", { time: <Ago seconds={made} /> })}
          {maker !== undefined && ` ${say("by {name}", { name: actorName(maker) })}`}
          {end !== null && <>, {sayParts("expires {time}", { time: <Ago seconds={end} /> })}</>}
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={isBusy}
          aria-label={say("Revoke the link {id}", { id: id.slice(0, 8) })}
          onClick={() => void revoke()}
        >
          {say("Revoke")}
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} />}
    </li>
  );
}
