import { Tooltip } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import type { ReactNode } from "react";

type Props = {
  id: string;
  target: HTMLElement;
  label: ReactNode;
  onHide: () => void;
  /** The pointer comes to the box. */
  onEnter: () => void;
  onLeave: () => void;
};

/** The box of a hint, beside its element. */
export default function HintBox({ id, target, label, onHide, onEnter, onLeave }: Props) {
  useWindowEvent("keydown", ({ key }) => {
    if (key === "Escape") onHide();
  });
  return (
    <Tooltip
      id={id}
      opened
      interactive
      target={target}
      label={label}
      multiline
      maw={360}
      // The cells of a table cut what overflows, and outside of the page's landmarks it would be lost.
      portalProps={{ target: "main" }}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    />
  );
}
