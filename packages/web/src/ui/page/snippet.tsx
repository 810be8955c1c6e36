import { CopyButton } from "../controls/copy-button.tsx";
import styles from "./snippet.module.css";

type Props = {
  text: string;
  /** What is copied, such as "the command". */
  what: string;
};

/** Lines to copy, such as a command. */
export function Snippet({ text, what }: Props) {
  return (
    <div className={styles.snippet}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
