import type { ChangeEntry } from "@hub/contract/change.ts";
import { toDetailLines } from "./describe-change.ts";

/** What a change changed, each as an item of a list. */
export function Details({ of }: { of: ChangeEntry }) {
  return toDetailLines(of.detail).map(({ name, before, after }) => (
    <li key={name}>
      {name}:{" "}
      {before === null ? (
        after
      ) : (
        <>
          <del>{before}</del> → <ins>{after}</ins>
        </>
      )}
    </li>
  ));
}
