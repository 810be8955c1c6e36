import type { ListedRow } from "@hub/contract/listed-row.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { RowOrder } from "./row-filters.ts";
import styles from "./row-table.module.css";
import type { Picks } from "./use-selection.ts";

/** The check box, the picture of the connector, and the label, which leads to the row. */
export function RowLabel({ row, picks }: { row: ListedRow; picks: Picks | null }) {
  const { id, connector, label, logo, description } = row;
  return (
    <span className={styles.label}>
      {picks !== null && (
        <input
          type="checkbox"
          className={styles.pick}
          aria-label={`Choose ${label}`}
          checked={picks.isChosen(id)}
          onChange={({ currentTarget, nativeEvent }) => {
            const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
            picks.pick(id, currentTarget.checked, isRange);
          }}
        />
      )}
      <ConnectorLogo connectorKey={connector} name={label} logo={logo} size="small" />
      <Link
        className={styles.link}
        title={description || label}
        to="/manager/connectors/$key/$row"
        params={{ key: connector, row: id }}
      >
        <bdi>{label}</bdi>
      </Link>
    </span>
  );
}

type HeaderProps = { picks: Picks | null; children: ReactNode };

/** The header of the labels, with the check box for all rows that are loaded. */
export function LabelHeader({ picks, children }: HeaderProps) {
  return (
    <span className={styles.label}>
      {picks !== null && (
        <input
          type="checkbox"
          className={styles.pick}
          aria-label="Choose all loaded rows"
          checked={picks.all === "all"}
          ref={(element) => {
            if (element !== null) element.indeterminate = picks.all === "some";
          }}
          onChange={({ currentTarget }) => picks.pickAll(currentTarget.checked)}
        />
      )}
      {children}
    </span>
  );
}

type SortProps = { header: string; order: RowOrder | null; onSort: () => void };

export function SortHeader({ header, order, onSort }: SortProps) {
  return (
    <button type="button" className={styles.sort} onClick={onSort} data-order={order ?? undefined}>
      {header}
      <Icon name="down" />
    </button>
  );
}
