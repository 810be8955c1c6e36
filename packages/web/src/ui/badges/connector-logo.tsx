import type { CSSProperties } from "react";
import { useApi } from "../../api/use-api.ts";
import styles from "./connector-logo.module.css";
import { toHue, toLetters } from "./logo-letters.ts";
import { useLogo } from "./logos.ts";

type Props = {
  /** Whose logo it is, if `logo` is left out. */
  connectorKey: string;
  /** Of the connector or of the row. It stands beside the logo; the letters and their ground follow from it. */
  name: string;
  /** As the API names it. Without it, that of the connector. */
  logo?: string | null | undefined;
  /** Small ones stand in lines of text and in tables. */
  size?: "small" | "medium";
};

type Style = CSSProperties & Record<`--${string}`, string | number>;

/** The logo of the brand behind a connector or a row, or letters of the name. */
export function ConnectorLogo({ connectorKey, name, logo, size = "medium" }: Props) {
  const types = useApi("GET /manager/api/connectors", {}, { isOn: logo === undefined });
  const isWaiting = logo === undefined && types.data === undefined && types.error === null;
  const type = types.data?.connectors.find(({ key }) => key === connectorKey);
  const found = useLogo(logo ?? type?.logo ?? null);
  if (found === null && !isWaiting) {
    const style: Style = { "--hue": toHue(name) };
    return (
      <span className={styles.letters} data-size={size} style={style} aria-hidden="true">
        {toLetters(name)}
      </span>
    );
  }
  const style: Style = { "--light": found?.light ?? "", "--dark": found?.dark ?? "" };
  return (
    <span className={styles.logo} data-size={size} style={style} aria-hidden="true">
      {found != null && (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={found.path} />
        </svg>
      )}
    </span>
  );
}
