import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { say } from "../language/say.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { CheckResult } from "./check-result.tsx";
import { checkType, readType } from "./use-type-draft.ts";

/** The entries that do not fit their stored type. */
export function FaultsPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["types", id, "faults"],
    queryFn: async ({ signal }) => {
      const { type } = await readType(id, signal);
      return { type, result: await checkType(id, { paths: type.paths, schema: type.schema as never }, signal) };
    },
    staleTime: 0,
  });
  const name = data?.type.title || id;
  return (
    <Page
      title={say("Entries with faults: {name}", { name })}
      description={say(
        "They were stored before the type was, or while it was not checked. They can be changed all the same: an update is refused only for faults that it brings.",
      )}
      actions={
        <>
          <Button component={Link} href={addressOf("types", id)} variant="default">
            {say("Edit the type")}
          </Button>
          {data && (
            <Button variant="default" onClick={() => void refetch()}>
              {say("Check again")}
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <Failure error={error} title={say("The entries cannot be checked")} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="panel type-panel">
          <CheckResult result={data.result} isStored />
        </div>
      ) : (
        <Loading />
      )}
    </Page>
  );
}
