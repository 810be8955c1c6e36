import styles from "../inspector.module.css";

export type Mode = "fixed" | "expression";

type Props = { label: string; mode: Mode; onMode: (mode: Mode) => void; isLocked?: boolean };

/** Switches a field between a fixed value and an expression. */
export function ModeSwitch({ label, mode, onMode, isLocked = false }: Props) {
  return (
    <div className={styles.modes} role="group" aria-label={`${label}: fixed or expression`}>
      {(["fixed", "expression"] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={mode === one}
          disabled={isLocked && mode !== one}
          onClick={() => mode !== one && onMode(one)}
        >
          {one === "fixed" ? "Fixed" : "Expression"}
        </button>
      ))}
    </div>
  );
}
