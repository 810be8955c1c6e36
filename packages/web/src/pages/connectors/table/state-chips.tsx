import type { RowsByState } from "@hub/contract/listed-row.ts";
import type { RowStateName as StateName } from "@hub/contract/row-state.ts";
import { RowStateName } from "../../../ui/badges/row-state.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { rowStates } from "./row-states.ts";
import styles from "./row-table.module.css";

type Props = {
  byState: RowsByState;
  total: number;
  chosen: StateName | undefined;
  onChoose: (state: StateName | undefined) => void;
};

/** Filters by state. States without a row are left out. */
export function StateChips({ byState, total, chosen, onChoose }: Props) {
  const shown = rowStates.filter((name) => name === chosen || (byState[name] ?? 0) > 0);
  return (
    <div className={styles.chips} role="group" aria-label="State">
      <button
        type="button"
        className={styles.chip}
        aria-pressed={chosen === undefined}
        onClick={() => onChoose(undefined)}
      >
        All <span className={styles.number}>{formatNumber(total)}</span>
      </button>
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chip}
          aria-pressed={chosen === name}
          onClick={() => onChoose(chosen === name ? undefined : name)}
        >
          <RowStateName name={name} />{" "}
          <span className={styles.number}>{formatNumber(byState[name] ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}
