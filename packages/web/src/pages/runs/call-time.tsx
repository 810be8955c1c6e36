import { TimeAt } from "../../ui/text/time-at.tsx";
import { useExactTimes } from "./use-exact-times.ts";

/** When a call began, exact or relative, as this browser shows calls. */
export function CallTime({ at }: { at: string }) {
  const [isExact] = useExactTimes();
  return <TimeAt at={at} isRelative={!isExact} />;
}
