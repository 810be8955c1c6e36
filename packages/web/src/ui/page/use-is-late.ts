import { useEffect, useState } from "react";

/** How long a page shows only its shape before it says that the hub does not answer. */
const lateMs = 3_000;

/** Whether something has been awaited for longer than this. */
export function useIsLate(isWaiting: boolean, afterMs = lateMs): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), afterMs);
    return () => clearTimeout(timer);
  }, [isWaiting, afterMs]);
  return isWaiting && isLate;
}
