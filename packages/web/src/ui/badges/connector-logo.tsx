import styles from "./connector-logo.module.css";

type Props = {
  connectorKey: string;
  /** The name of the connector or of the row. */
  name: string;
  /** The slug of a brand's logo. */
  logo?: string | null;
  /** Width and height in pixels. */
  size?: number;
};

const groundsCount = 6;

/** One or two letters of the name on a ground that each connector keeps. Readers have the name beside it. */
export function ConnectorLogo({ connectorKey, name, size = 28 }: Props) {
  return (
    <span
      className={styles.letters}
      data-ground={toGround(connectorKey)}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.42) }}
      aria-hidden="true"
    >
      {toLetters(name)}
    </span>
  );
}

function toLetters(name: string): string {
  const [first = "?", second] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [one = "?", other = ""] = first;
  return (one + ([...(second ?? "")][0] ?? other)).toUpperCase();
}

function toGround(key: string): number {
  let sum = 0;
  for (const char of key.slice(0, 64)) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return sum % groundsCount;
}
