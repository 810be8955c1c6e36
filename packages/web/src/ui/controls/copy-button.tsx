import { useState } from "react";
import { copyText } from "./copy-text.ts";
import { IconButton } from "./icon-button.tsx";

type Props = {
  /** Or a function that writes it, for texts that take time. */
  text: string | (() => string);
  what: string;
};

/** Copies a text. `what` names it for screen readers: "Copy the id". */
export function CopyButton({ text, what }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(typeof text === "string" ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? "Copied" : `Copy ${what}`}
      onClick={copy}
    />
  );
}
