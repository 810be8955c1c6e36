import { Skeleton } from "@mantine/core";

/** The shape of a list or a card while it loads. */
export function PageSkeleton({ lines = 6, height = 20 }: { lines?: number; height?: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
        <Skeleton key={index} height={height} mb="sm" width={index % 3 === 2 ? "70%" : "100%"} />
      ))}
    </div>
  );
}
