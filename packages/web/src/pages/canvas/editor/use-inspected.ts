import { type RefObject, useEffect } from "react";
import { type Body, findItem } from "../graph/body.ts";
import { findComment } from "../graph/comments.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";

/** The item that the inspector shows: the only one that is selected. It is moved into view. */
export function useInspected(
  body: Body,
  selected: ReadonlySet<string>,
  flow: RefObject<CanvasHandle | null>,
) {
  const [only] = selected.size === 1 ? selected : [];
  const inspected = only === undefined ? null : findItem(body, only);
  // The inspector takes a part of the window, in which the selected item may have been.
  const inspectedId =
    inspected?.id ?? (only === undefined || findComment(body, only) === null ? undefined : only);
  useEffect(() => {
    if (inspectedId === undefined) return;
    const frame = requestAnimationFrame(() => flow.current?.show(inspectedId));
    return () => cancelAnimationFrame(frame);
  }, [inspectedId, flow]);
  return { only, inspected, inspectedId };
}
