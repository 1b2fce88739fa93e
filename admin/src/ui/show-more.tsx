import { Button, Center } from "@mantine/core";

type ShowMoreProps = { list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown } };

/** The button below a list that reads its next page, while there is one. */
export function ShowMore({ list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowMoreProps) {
  if (!hasNextPage) return null;
  return (
    <Center mt="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
}
