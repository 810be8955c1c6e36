import { useEffect, useState } from "react";
import { askLayout } from "./ask-layout.ts";
import type { Body, Comment, Position } from "./graph/body.ts";
import { listCommentPositions } from "./graph/comments.ts";
import { toLayoutInput } from "./graph/flow.ts";

type Positions = Readonly<Record<string, Position>>;

type Shown = {
  layout: Positions;
  computed: Positions;
  comments: readonly Comment[] | undefined;
  all: Positions;
};

/**
 * Where each item and comment is: as the body says, or by an automatic layout of what it does not place. Null until
 * the layout is there.
 */
export function usePositions(body: Body): Positions | null {
  const [computed, setComputed] = useState<Positions>({});
  const ids = [...body.triggers, ...body.nodes].map(({ id }) => id);
  const missing = ids.filter((id) => !(id in body.layout) && !(id in computed));
  const wanted = missing.join(" ");
  useEffect(() => {
    if (wanted === "") return;
    let isCurrent = true;
    void askLayout(toLayoutInput(body)).then((found) => {
      if (!isCurrent) return;
      const places = found ?? {};
      // Below each other, if the worker failed.
      const entries = wanted
        .split(" ")
        .map((id, at) => [id, places[id] ?? ([0, at * 112] as const)] as const);
      setComputed((before) => ({ ...before, ...Object.fromEntries(entries) }));
    });
    return () => {
      isCurrent = false;
    };
  }, [wanted, body]);
  const isReady = missing.length === 0;
  const [shown, setShown] = useState<Shown>();
  if (!isReady) return shown?.all ?? null;
  const { layout, comments } = body;
  if (shown?.layout !== layout || shown.computed !== computed || shown.comments !== comments) {
    const all = { ...computed, ...layout, ...listCommentPositions(body) };
    setShown({ layout, computed, comments, all });
    return all;
  }
  return shown.all;
}
