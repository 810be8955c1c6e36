import { Button } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { formatNumber } from "../ui/text/format.ts";
import styles from "./call-parts.module.css";

/** A browser is slow with one text of a megabyte, so it is shown in portions. */
const charsPerStep = 32_768;

type Props = {
  text: string;
  /** What the text is, such as "The text content of the answer to hub_execute". */
  what: string;
};

/** A text exactly as a client gets it. */
export function ClientView({ text, what }: Props) {
  const [shown, setShown] = useState(charsPerStep);
  const left = text.length - shown;
  return (
    <>
      <p className={styles.lead}>
        {`${what}, ${formatNumber(text.length)} characters. `}
        <CopyButton text={text} what="the text" />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys. */}
      <pre className={styles.client} tabIndex={0} role="group" aria-label="As a client sees it">
        {text.slice(0, shown)}
      </pre>
      {left > 0 && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + charsPerStep)}>
          {`Show ${formatNumber(Math.min(left, charsPerStep))} more characters`}
        </Button>
      )}
    </>
  );
}
