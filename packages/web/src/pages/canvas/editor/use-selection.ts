import { useNavigate, useSearch } from "@tanstack/react-router";
import { type RefObject, useCallback, useState } from "react";
import type { CanvasSearch } from "../canvas-search.ts";
import { type Body, findItem } from "../graph/body.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { focusWhenShown } from "../view/focus-item.ts";

export const noSelection: ReadonlySet<string> = new Set();

type Deps = {
  opened: Body;
  page: RefObject<HTMLElement | null>;
  flow: RefObject<CanvasHandle | null>;
};

export type Selection = {
  selected: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
  /** Moves the focus to an item, and the graph so that it is visible. */
  focusItem: (id: string) => void;
  /** Selects an item and moves the focus to it. */
  goTo: (id: string) => void;
  /** Moves the graph so that an item is visible. */
  show: (id: string) => void;
};

/** What is selected on the graph. A single node is in the address. */
export function useSelection({ opened, page, flow }: Deps): Selection {
  const { node } = useSearch({ from: "/workflows/$workflow/edit" });
  const navigate = useNavigate({ from: "/workflows/$workflow/edit" });
  const [selected, setSelected] = useState<ReadonlySet<string>>(
    () => new Set(node !== undefined && findItem(opened, node) ? [node] : []),
  );
  const select = useCallback(
    (ids: ReadonlySet<string>) => {
      setSelected(ids);
      const [node] = ids.size === 1 ? ids : [];
      void navigate({
        to: ".",
        search: (before: CanvasSearch) => ({ ...before, node }),
        replace: true,
      });
    },
    [navigate],
  );
  const focusItem = useCallback(
    (id: string) => {
      void focusWhenShown(page.current, id).then(() => flow.current?.show(id));
    },
    [page, flow],
  );
  const goTo = useCallback(
    (id: string) => {
      select(new Set([id]));
      focusItem(id);
    },
    [select, focusItem],
  );
  const show = useCallback((id: string) => flow.current?.show(id), [flow]);
  return { selected, select, focusItem, goTo, show };
}
