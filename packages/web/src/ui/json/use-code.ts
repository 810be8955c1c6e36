import { useCallback, useEffect, useState } from "react";

type LoadedCode<T> = {
  /** Null until it is loaded. */
  code: T | null;
  hasFailed: boolean;
  retry: () => void;
};

/**
 * Loads code when it is needed. A failure, for example of the network, leaves the rest of the page and
 * what was typed there as it is. React's `lazy` would remove the page and remember the failure.
 */
export function useCode<T>(load: () => Promise<T>): LoadedCode<T> {
  const [code, setCode] = useState<T | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const retry = useCallback(() => {
    setFailed(false);
    load().then(
      (loaded) => setCode(() => loaded),
      () => setFailed(true),
    );
  }, [load]);
  useEffect(retry, [retry]);
  return { code, hasFailed, retry };
}
