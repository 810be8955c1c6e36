import { useState } from "react";
import { copyText } from "./copy-text.ts";
import { IconButton } from "./icon-button.tsx";

/** Copies a text. `what` names it for screen readers: "Copy the id". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
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
