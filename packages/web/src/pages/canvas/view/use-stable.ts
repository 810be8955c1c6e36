import { useCallback, useLayoutEffect, useRef } from "react";

/**
 * A function that stays the same and calls the latest one. The graph compares its handlers and draws again
 * when one has changed.
 */
export function useStable<Args extends unknown[], Result>(
  latest: (...args: Args) => Result,
): (...args: Args) => Result {
  const current = useRef(latest);
  useLayoutEffect(() => {
    current.current = latest;
  });
  return useCallback((...args: Args) => current.current(...args), []);
}
