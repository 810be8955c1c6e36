import { Button } from "@mantine/core";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { formatNumber } from "../../../ui/text/format.ts";

/** As the API gives by default. */
const perPage = 100;

type Props = {
  pages: Parameters<typeof MoreFailed>[0]["of"] & {
    data: { pages: { operations: unknown[]; total: number }[] } | undefined;
    onMore: (() => void) | undefined;
    isFetchingNextPage: boolean;
  };
};

/** A button for the next operations of a long list. */
export function MoreOperations({ pages }: Props) {
  const { data, onMore, isFetchingNextPage } = pages;
  const read = data?.pages ?? [];
  const shown = read.reduce((sum, { operations }) => sum + operations.length, 0);
  const left = (read.at(-1)?.total ?? 0) - shown;
  return (
    <>
      {onMore !== undefined && left > 0 && (
        <Button variant="default" size="xs" mt="sm" loading={isFetchingNextPage} onClick={onMore}>
          {`Show ${formatNumber(Math.min(perPage, left))} more of ${formatNumber(left)}`}
        </Button>
      )}
      <MoreFailed of={pages} what="More operations" />
    </>
  );
}
