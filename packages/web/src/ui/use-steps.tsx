import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatNumber } from "./format.ts";

/** The first items of a list that the browser has whole, and a button for the next ones. */
export function useSteps<T>(
  items: readonly T[],
  { step }: { step: number },
): { shown: readonly T[]; more: ReactNode } {
  const [length, setLength] = useState(step);
  const left = items.length - length;
  return {
    shown: items.slice(0, length),
    more: left > 0 && (
      <Button variant="default" size="xs" mt="sm" onClick={() => setLength(length + step)}>
        {`Show ${formatNumber(Math.min(step, left))} more of ${formatNumber(left)}`}
      </Button>
    ),
  };
}
