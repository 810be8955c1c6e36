import { useEffect, useState } from "react";
import { askLayout } from "./ask-layout.ts";
import type { Body, Position } from "./graph/body.ts";
import { toLayoutInput } from "./graph/flow.ts";

type Positions = Readonly<Record<string, Position>>;

/**
 * Where each item is: as the body says, or by an automatic layout of what it does not place. Null until
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
  const [shown, setShown] = useState<{ layout: Positions; computed: Positions; all: Positions }>();
  if (!isReady) return shown?.all ?? null;
  if (shown?.layout !== body.layout || shown.computed !== computed) {
    const all = { ...computed, ...body.layout };
    setShown({ layout: body.layout, computed, all });
    return all;
  }
  return shown.all;
}
