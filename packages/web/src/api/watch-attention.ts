import { focusManager } from "@tanstack/react-query";

/** Without any input for so long, the page is taken as left, such as on a screen at a wall. */
const idleMsMax = 15 * 60_000;
const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"];

/**
 * Makes everything that is read again and again pause while the page is hidden or had no input for 15
 * minutes, and go on at once when someone looks again. Call it once.
 */
export function watchAttention(): void {
  focusManager.setEventListener((setFocused) => {
    let inputAt = Date.now();
    let isIdle = false;
    let timer = setTimeout(checkIdle, idleMsMax);
    const report = () => setFocused(document.visibilityState !== "hidden" && !isIdle);
    function checkIdle() {
      const leftMs = inputAt + idleMsMax - Date.now();
      isIdle = leftMs <= 0;
      if (isIdle) report();
      else timer = setTimeout(checkIdle, leftMs);
    }
    const recordInput = () => {
      inputAt = Date.now();
      if (!isIdle) return;
      isIdle = false;
      timer = setTimeout(checkIdle, idleMsMax);
      report();
    };
    const change = () => {
      // To come back to the page is an input too.
      if (document.visibilityState !== "hidden") recordInput();
      report();
    };
    for (const name of inputs)
      window.addEventListener(name, recordInput, { passive: true, capture: true });
    document.addEventListener("visibilitychange", change);
    return () => {
      clearTimeout(timer);
      for (const name of inputs) window.removeEventListener(name, recordInput, { capture: true });
      document.removeEventListener("visibilitychange", change);
    };
  });
}
