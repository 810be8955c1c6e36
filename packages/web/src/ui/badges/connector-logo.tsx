import styles from "./connector-logo.module.css";

type Props = {
  connectorKey: string;
  name: string;
  logo?: string | null;
  /** In pixels. */
  size?: number;
};

/** A connector by the first letters of its name. It says nothing to screen readers. */
export function ConnectorLogo({ name, size = 20 }: Props) {
  return (
    <span
      className={styles.logo}
      style={{ width: size, height: size, fontSize: size / 2.2 }}
      aria-hidden="true"
    >
      {name.trim().slice(0, 2)}
    </span>
  );
}
