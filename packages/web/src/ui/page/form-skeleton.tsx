import { Skeleton } from "@mantine/core";

/** The shape of a form while it loads: names with their fields. */
export function FormSkeleton({ fields }: { fields: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: fields }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields never change.
        <div key={at}>
          <Skeleton height={14} width={at % 2 === 0 ? "6rem" : "8rem"} mb={6} />
          <Skeleton height={36} mb="md" />
        </div>
      ))}
    </div>
  );
}
