import { Fragment, useMemo, useState } from "react";
import { formatNumber } from "../text/format.ts";
import { type DiffPart, diffWords } from "./diff-words.ts";
import styles from "./word-diff.module.css";

/** Unchanged text of JSON that is longer is folded. */
const foldedCharsMin = 800;
const contextChars = 200;

type Props = { before: string; after: string; isCode?: boolean };

/** What differs between two texts, word by word; both whole if they differ too much. */
export function WordDiff({ before, after, isCode = false }: Props) {
  const parts = useMemo(() => diffWords(before, after), [before, after]);
  const className = isCode ? `${styles.text} ${styles.code}` : styles.text;
  if (parts === null) {
    return (
      <>
        <p className={styles.whole}>The texts differ too much to be compared. Before:</p>
        <div className={className}>
          <bdi>{before}</bdi>
        </div>
        <p className={styles.whole}>Now:</p>
        <div className={className}>
          <bdi>{after}</bdi>
        </div>
      </>
    );
  }
  return (
    <div className={className}>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity.
        <Part key={at} part={part} canFold={isCode} />
      ))}
    </div>
  );
}

function Part({ part: { kind, text }, canFold }: { part: DiffPart; canFold: boolean }) {
  const [isOpen, setOpen] = useState(false);
  if (kind === "removed") return <del>{text}</del>;
  if (kind === "added") return <ins>{text}</ins>;
  if (!canFold || isOpen || text.length < foldedCharsMin) return <Fragment>{text}</Fragment>;
  const folded = text.length - 2 * contextChars;
  return (
    <>
      {text.slice(0, contextChars)}
      <button type="button" className={styles.more} onClick={() => setOpen(true)}>
        {`Show ${formatNumber(folded)} unchanged characters`}
      </button>
      {text.slice(-contextChars)}
    </>
  );
}
