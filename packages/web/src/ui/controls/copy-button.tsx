import { useState } from "react";
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

/** Copies a text. Browsers have the clipboard only over https and on localhost. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
