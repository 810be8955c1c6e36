import { formatAgo, formatExact } from "./format.ts";
import { useNow } from "./use-now.ts";

/** A time as people say it, with the exact one on hover. */
export function TimeAgo({ at }: { at: string }) {
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatAgo(at, now)}
    </time>
  );
}
