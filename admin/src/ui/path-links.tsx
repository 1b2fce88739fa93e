import { Button, Group } from "@mantine/core";
import { FolderTree } from "lucide-react";
import { say } from "../language/say.ts";
import { addressOf, Link } from "./location.tsx";
import { Empty } from "./state.tsx";

type PathLinksProps = { page: "entries" | "files" | "translations"; paths: readonly string[] };

/** Links to where the session holds, on the way there. */
export const PathLinks = ({ page, paths }: PathLinksProps) => (
  <Empty
    icon={FolderTree}
    title={say("You have access to a part of the tree")}
    action={
      <Group gap="xs" justify="center">
        {paths.map((path) => (
          <Button key={path} component={Link} href={addressOf(page, path)} variant="default">
            {path}
          </Button>
        ))}
      </Group>
    }
  >
    {say("Nothing else exists for you.")}
  </Empty>
);
