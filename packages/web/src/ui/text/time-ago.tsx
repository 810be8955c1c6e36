import { useEffect, useState } from "react";
import { formatAgo, formatExact } from "./format.ts";

/** A time as people say it, with the exact one on hover. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      <Ago at={at} />
    </time>
  );
}

/** How long ago a time was, which stays true. */
export function Ago({ at }: { at: string }) {
  return formatAgo(at, useNow(15_000));
}

/** The current time, which the component shows again at this interval. */
function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
