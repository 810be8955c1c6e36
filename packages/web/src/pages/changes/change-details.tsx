import type { ChangeEntry } from "@hub/contract/change.ts";
import { useState } from "react";
import { formatNumber } from "../../ui/text/format.ts";
import { formatSettingValue } from "../settings/describe-setting.ts";
import styles from "./changes.module.css";
import { cutNames } from "./cut-names.ts";
import { toDetailLines } from "./describe-change.ts";

/** What a change changed, each as an item of a list. */
export function Details({ of }: { of: ChangeEntry }) {
  const show = (text: string) =>
    of.target_kind === "setting" ? formatSettingValue(of.target, text) : text;
  return toDetailLines(of.detail).map(({ name, before, after, listed }) => (
    <li key={name}>
      {name}:{" "}
      {before === null ? (
        <Names text={show(after)} of={listed} />
      ) : (
        <>
          <del>{show(before)}</del> → <ins>{show(after)}</ins>
        </>
      )}
    </li>
  ));
}

/** A text. If it lists many names, the first ones, and all of them on demand. */
function Names({ text, of = [] }: { text: string; of: readonly string[] | undefined }) {
  const [isWhole, setWhole] = useState(false);
  const cut = cutNames(of);
  if (cut === null || isWhole) return text;
  return (
    <>
      {`${cut.shown}, `}
      <button type="button" className={styles.more} onClick={() => setWhole(true)}>
        {`and ${formatNumber(cut.left)} more`}
      </button>
    </>
  );
}
