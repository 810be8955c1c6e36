import { useCallback, useState } from "react";

export const narrowPxMin = 320;
/** From here on, the values and the output stand beside the fields. */
export const widePxMin = 720;
const narrowPx = 384;
const widePx = 1400;
const key = "hub-inspector";

/** How wide the inspector is, as the user has pulled it. */
export type InspectorWidth = {
  isWide: boolean;
  /** The width of each state. The window may have less space. */
  narrow: number;
  wide: number;
};

/** The width of the inspector, which the browser remembers. */
export function useInspectorWidth() {
  const [width, setWidth] = useState(readWidth);
  const store = useCallback((next: InspectorWidth) => {
    setWidth(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without space, it is kept as long as the page.
    }
  }, []);
  const pull = useCallback(
    (px: number) => {
      const next = Math.max(narrowPxMin, Math.round(px));
      const before = readWidth();
      store(
        next >= widePxMin
          ? { ...before, isWide: true, wide: next }
          : { ...before, isWide: false, narrow: next },
      );
    },
    [store],
  );
  const toggle = useCallback(() => {
    const before = readWidth();
    store({ ...before, isWide: !before.isWide });
  }, [store]);
  return { width, px: width.isWide ? width.wide : width.narrow, pull, toggle };
}

function readWidth(): InspectorWidth {
  let stored: unknown = null;
  try {
    stored = JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    // Not written by this page.
  }
  const { isWide, narrow, wide } = Object(stored);
  const isPx = (value: unknown): value is number => Number.isFinite(value);
  return {
    isWide: isWide === true,
    narrow: isPx(narrow) ? Math.min(widePxMin - 1, Math.max(narrowPxMin, narrow)) : narrowPx,
    wide: isPx(wide) ? Math.max(widePxMin, wide) : widePx,
  };
}
