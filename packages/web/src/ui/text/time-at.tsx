import { useState } from "react";
import { formatAgo, formatExact, formatShort } from "./format.ts";

/** An exact time, for tables and logs. How long ago it was, and the zone, are said on hover. */
export function TimeAt({ at }: { at: string }) {
  const [title, setTitle] = useState(() => formatExact(at));
  const addAgo = () => setTitle(`${formatAgo(at, Date.now())} · ${formatExact(at)}`);
  return (
    <time dateTime={at} title={title} onPointerEnter={addAgo}>
      {formatShort(at)}
    </time>
  );
}
