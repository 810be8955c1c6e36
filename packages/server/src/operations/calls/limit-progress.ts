import type { ConnectorCall } from "../../connectors/connector-port.ts";

type Report = ConnectorCall["progress"];

/** So many reports of a call pass at once, and then one in each interval. */
const burst = 20;
const intervalMs = 100;

/**
 * Limits the reports of one call, because a connector or its outside system may send any number, and each is
 * searched for secrets. A later report replaces one that waits; `flush` passes the last one on.
 */
export function limitProgress(
  { now }: { now: () => number },
  report: Report,
): { report: Report; flush(): void } {
  let left = burst;
  let at = 0;
  let held: Parameters<Report> | null = null;
  const flush = () => {
    if (held === null) return;
    report(...held);
    held = null;
  };
  return {
    report(...progress) {
      const time = now();
      left = at === 0 ? burst : Math.min(burst, left + Math.max(0, time - at) / intervalMs);
      at = time;
      held = progress;
      if (left < 1) return;
      left -= 1;
      flush();
    },
    flush,
  };
}
