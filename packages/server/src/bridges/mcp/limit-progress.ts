import type { Timers } from "../../lib/timers.ts";

type Report = (done: number, total?: number, message?: string) => void;

const intervalMs = 100;

/** Passes on at most ten reports a second, because a server may send any number. The last one counts. */
export function limitProgress(
  { now }: Pick<Timers, "now">,
  report: Report,
): { report: Report; flush(): void } {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let held: Parameters<Report> | null = null;
  const flush = () => {
    if (held === null) return;
    report(...held);
    held = null;
  };
  return {
    report(...progress) {
      held = progress;
      if (now() - reportedAt < intervalMs) return;
      reportedAt = now();
      flush();
    },
    flush,
  };
}
