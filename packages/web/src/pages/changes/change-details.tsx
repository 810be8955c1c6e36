import type { ChangeEntry } from "@hub/contract/change.ts";
import { useState } from "react";
import styles from "./changes.module.css";
import { cutNames } from "./cut-names.ts";
import { toDetailLines } from "./describe-change.ts";

/** What a change changed, each as an item of a list. */
export function Details({ of }: { of: ChangeEntry }) {
  return toDetailLines(of.detail).map(({ name, before, after }) => (
    <li key={name}>
      {name}:{" "}
      {before === null ? (
        <Names text={after} />
      ) : (
        <>
          <del>{before}</del> → <ins>{after}</ins>
        </>
      )}
    </li>
  ));
}

/** The first ones of many names, and all of them on demand. */
function Names({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const cut = cutNames(text);
  if (cut === null || isWhole) return text;
  return (
    <>
      {`${cut.shown}, `}
      <button type="button" className={styles.more} onClick={() => setWhole(true)}>
        {`and ${cut.left} more`}
      </button>
    </>
  );
}
