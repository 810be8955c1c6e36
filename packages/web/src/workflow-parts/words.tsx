import { splitCodeSpans } from "@hub/contract/code-spans.ts";
import { Fragment } from "react";

/** A sentence of the hub. Texts of the workflow in it stand in code, and nothing else is markup. */
export function Words({ text }: { text: string }) {
  return splitCodeSpans(text).map((part, at) =>
    part.isCode ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move.
      <code key={at}>{part.text}</code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence do not move.
      <Fragment key={at}>{part.text}</Fragment>
    ),
  );
}

/** Sentences as one paragraph. */
export function Sentences({ texts }: { texts: readonly string[] }) {
  return (
    <p>
      <Words text={texts.join(" ")} />
    </p>
  );
}
