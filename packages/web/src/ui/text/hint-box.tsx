import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { id: string; target: HTMLElement; label: ReactNode };

/** The box of a hint, beside its element. */
export default function HintBox({ id, target, label }: Props) {
  return (
    <Tooltip
      id={id}
      opened
      target={target}
      label={label}
      multiline
      maw={360}
      // The cells of a table cut what overflows, and outside of the page's landmarks it would be lost.
      portalProps={{ target: "main" }}
    />
  );
}
