import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatNumber } from "./format.ts";

/**
 * The first items of a list that the browser has whole, and a button for the next ones. It begins
 * again when `of` changes, such as the text of a filter.
 */
export function useSteps<T>(
  items: readonly T[],
  { step, of = "" }: { step: number; of?: string },
): { shown: readonly T[]; more: ReactNode } {
  const [state, setState] = useState({ of, length: step });
  const length = state.of === of ? state.length : step;
  const left = items.length - length;
  return {
    shown: items.slice(0, length),
    more: left > 0 && (
      <Button
        variant="default"
        size="xs"
        mt="sm"
        onClick={() => setState({ of, length: length + step })}
      >
        {`Show ${formatNumber(Math.min(step, left))} more of ${formatNumber(left)}`}
      </Button>
    ),
  };
}
