import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { ItemData } from "../graph/flow.ts";
import { findItemType } from "../graph/item-types.ts";
import styles from "./item-icon.module.css";

/** The logo of the row's connector, or the icon of the type. */
export function ItemIcon({ item, isTrigger, row }: Pick<ItemData, "item" | "isTrigger" | "row">) {
  if (row !== null) {
    const { connector, label, logo } = row;
    return <ConnectorLogo connectorKey={connector} name={label} logo={logo} size="small" />;
  }
  return (
    <span className={styles.icon} data-kind={isTrigger ? "trigger" : item.type}>
      <Icon name={findItemType(item, isTrigger).icon} />
    </span>
  );
}
