import type { ListedRow } from "@hub/contract/listed-row.ts";
import { useMemo, useRef, useState } from "react";
import type { RowFilters } from "./row-filters.ts";
import { choose, countChosen, isChosen, listRange, noSelection } from "./selection.ts";

/** What the check boxes of the table show and do. */
export type Picks = {
  isChosen: (id: string) => boolean;
  /** With `isRange`, chooses also the rows since the last click. */
  pick: (id: string, isOn: boolean, isRange: boolean) => void;
  /** Whether all loaded rows are chosen, or some of them. */
  all: "all" | "some" | "none";
  pickAll: (isOn: boolean) => void;
};

/** The chosen rows. Other filters choose nothing; another order keeps them. */
export function useSelection(
  rows: readonly ListedRow[],
  matching: number,
  { q, connector, tag, state }: RowFilters,
) {
  const filtered = JSON.stringify([q, connector, tag, state]);
  const [known, setKnown] = useState({ filtered, selection: noSelection });
  const last = useRef<string | null>(null);
  const selection = known.filtered === filtered ? known.selection : noSelection;
  const picks = useMemo((): Picks => {
    const set = (next: typeof selection) => setKnown({ filtered, selection: next });
    const ids = rows.map(({ id }) => id);
    const some = ids.filter((id) => isChosen(selection, id)).length;
    return {
      isChosen: (id) => isChosen(selection, id),
      pick(id, isOn, isRange) {
        const from = last.current === null ? -1 : ids.indexOf(last.current);
        const range = isRange && from >= 0 ? listRange(ids, from, ids.indexOf(id)) : [id];
        last.current = id;
        set(choose(selection, range, isOn));
      },
      all: some === 0 ? "none" : some === ids.length ? "all" : "some",
      pickAll: (isOn) => set(isOn ? choose(selection, ids, true) : noSelection),
    };
  }, [rows, selection, filtered]);
  return {
    selection,
    picks,
    chosen: countChosen(selection, matching),
    pickMatching: () => setKnown({ filtered, selection: { isAll: true, ids: new Set() } }),
    clear: () => setKnown({ filtered, selection: noSelection }),
  };
}
