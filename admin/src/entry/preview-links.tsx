import { Alert, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Token } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { listPreviews, makePreview, type Preview } from "../api/preview.ts";
import { previewLives, usualLife } from "../api/token.ts";
import { useSession } from "../session-context.ts";
import { useActorName } from "../token/actor-name.ts";
import { CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { openedKey, unsavedNote } from "./preview.tsx";

type PreviewLinksProps = { slug: string; isDirty: boolean; onClose(): void };

/** Makes links to a preview of the entry for people who are not signed in, and lists and revokes those there are. */
export function PreviewLinks({ slug, isDirty, onClose }: PreviewLinksProps) {
  return (
    <Dialog onClose={onClose} title="Preview links" size="lg">
      <Stack gap="md">
        <Text size="sm">
          Whoever has a link reads this entry and all below it as saved: drafts, and changes that are not published.
        </Text>
        {isDirty && <Alert color="yellow">{unsavedNote}</Alert>}
        <NewLink slug={slug} />
        <Links slug={slug} />
      </Stack>
    </Dialog>
  );
}

function NewLink({ slug }: { slug: string }) {
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
      const preview = await makePreview(
        slug,
        template,
        previewLives.find(({ label }) => label === life),
      );
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
          label="Expires"
          data={previewLives.map(({ label }) => label)}
          value={life}
          onChange={setLife}
          allowDeselect={false}
          data-autofocus
          flex={1}
        />
        <Button loading={isBusy} onClick={() => void make()}>
          {template === undefined ? "Copy preview token" : "Copy preview link"}
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} title="No link was made" />}
      {made && <Made preview={made} />}
    </>
  );
}

function Made({ preview: { link, token, api } }: { preview: Preview }) {
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">It is shown this once.</Text>
      {link === undefined ? (
        <>
          <CopyLine value={token} label="Copy the token" />
          <Text size="sm">The argument token of the API, or the header Authorization: Bearer:</Text>
          <CopyLine value={api} label="Copy the address" />
        </>
      ) : (
        <CopyLine value={link} label="Copy the link" />
      )}
    </Stack>
  );
}

function Links({ slug }: { slug: string }) {
  const {
    data: links,
    error,
    refetch,
  } = useQuery({ queryKey: ["previews", slug], queryFn: () => listPreviews(slug), staleTime: 0 });
  if (error) return <Failure error={error} title="The links cannot be listed" onRetry={() => void refetch()} />;
  if (!links) return <Loading rows={2} height={36} />;
  if (links.length === 0) return null;
  return (
    <section aria-label="Links of this entry">
      <Stack component="ul" gap="xs" className="plain-list">
        {links.map((link) => (
          <Link key={link.id} link={link} slug={slug} />
        ))}
      </Stack>
    </section>
  );
}

function Link({ link: { id, maker, created_at: made, expires_at: end }, slug }: { link: Token; slug: string }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const actorName = useActorName();
  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      await octavo.tokens.previews.revoke(id);
      queries.removeQueries({ queryKey: openedKey(slug) });
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
          Made <Ago seconds={made} />
          {maker !== undefined && ` by ${actorName(maker)}`}
          {end !== null && (
            <>
              , expires <Ago seconds={end} />
            </>
          )}
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={isBusy}
          aria-label={`Revoke the link ${id.slice(0, 8)}`}
          onClick={() => void revoke()}
        >
          Revoke
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} />}
    </li>
  );
}
