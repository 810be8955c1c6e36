import styles from "./program-output.module.css";

/** The last lines that a program of a row or plugin wrote, if an error or answer has them. */
export function ProgramOutput({ of }: { of: object | undefined }) {
  const output = of !== undefined && "program_output" in of ? of.program_output : null;
  if (typeof output !== "string") return null;
  return (
    <figure className={styles.output}>
      <figcaption>The program's last lines</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0}>{output}</pre>
    </figure>
  );
}
