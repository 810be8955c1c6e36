import { useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type RefObject, useCallback, useMemo, useState } from "react";
import type { CanvasSearch } from "../canvas-search.ts";
import { readShortcut } from "../editor/keys/shortcuts.ts";
import type { Body } from "../graph/body.ts";
import { findNeighbour, sortItems } from "../graph/walk-graph.ts";
import type { usePositions } from "../use-positions.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { focusWhenShown } from "../view/focus-item.ts";
import type { ShownRun } from "./use-shown-run.ts";

const address = "/workflows/$workflow/runs/$run" as const;

type Graph = {
  body: Body;
  run: ShownRun["run"];
  positions: ReturnType<typeof usePositions>;
  page: RefObject<HTMLElement | null>;
  flow: RefObject<CanvasHandle | null>;
};

/** The node of a run whose steps are shown, which is a part of the address. At first it is the step that failed. */
export function useRunSelection({ body, run, positions, page, flow }: Graph) {
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const [isClosed, setClosed] = useState(false);
  // The failed step, until the user looks at another one.
  const id = search.node ?? (isClosed ? undefined : (run.error?.node_id ?? undefined));
  const selected = useMemo(() => new Set(id === undefined ? [] : [id]), [id]);
  const select = useCallback(
    (node: string | undefined) => {
      setClosed(node === undefined);
      void navigate({
        to: ".",
        search: (before: CanvasSearch) => ({ ...before, node }),
        replace: true,
      });
    },
    [navigate],
  );
  const goTo = (node: string) => {
    select(node);
    void focusWhenShown(page.current, node).then(() => flow.current?.show(node));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shortcut = readShortcut(event);
    if (shortcut?.kind === "leave") return select(undefined);
    if (shortcut?.kind !== "walk" || positions === null) return;
    event.preventDefault();
    const from = id ?? sortItems(body)[0];
    if (from === undefined) return;
    const to = id === undefined ? from : findNeighbour(body, from, shortcut.to, positions);
    if (to !== null) goTo(to);
  };
  return { id, selected, select, goTo, onKeyDown };
}
