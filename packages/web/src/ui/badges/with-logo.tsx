import type { ReactNode } from "react";
import styles from "./connector-logo.module.css";
import { ConnectorLogo } from "./connector-logo.tsx";

type Props = Parameters<typeof ConnectorLogo>[0] & { children: ReactNode };

/** A small logo before a name in a line or a cell of a table. */
export function WithLogo({ children, ...logo }: Props) {
  return (
    <span className={styles.beside}>
      <ConnectorLogo size="small" {...logo} />
      {children}
    </span>
  );
}
