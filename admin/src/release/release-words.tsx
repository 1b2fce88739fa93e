import { Anchor } from "@mantine/core";
import type { Release } from "../api/release.ts";
import type { WorkingCopy } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { useReleases } from "../query/releases.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";

/** In the bar of an entry: the release that it goes live with, or the one into which it is saved. */
export function ReleaseWords({ copy }: { copy: WorkingCopy | undefined }) {
  const { all, chosen } = useReleases();
  const id = copy?.release;
  if (id !== undefined) {
    const title = all.find((each) => each.id === id)?.title ?? say("a release");
    return (
      <>
        <ReleaseLink id={id} title={title} />.
      </>
    );
  }
  if (!chosen || copy?.publishAt !== undefined) return null;
  return (
    <span className="publish-told" role="status">
      {sayParts("Saved drafts go into {release}.", { release: <ReleaseLink {...chosen} /> })}
    </span>
  );
}

const ReleaseLink = ({ id, title }: Pick<Release, "id" | "title">) => (
  <Anchor component={Link} href={addressOf("releases", id)} inherit underline="always">
    {title}
  </Anchor>
);
