import { Popover, VisuallyHidden } from "@mantine/core";
import { type RefObject, useRef, useState } from "react";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";
import look from "./values.module.css";
import { ValuesPanel } from "./values-panel.tsx";

/** Not limited by where the field is. */
const limiter = { fn: ({ x, y }: { x: number; y: number }) => ({ x, y }) };
const inWindow = { flip: true, shift: { crossAxis: true, padding: 8, limiter } };

type Props = { label: string; field: RefObject<HTMLElement | null> };

/** Leads from a field to the values that it can take: beside the fields if there is space, else over them. */
export function ValuesButton({ label, field }: Props) {
  const { targets, isWide } = useInspector();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    if (field.current !== null) targets.aim(field.current);
    if (!isWide) return setOpen(!isOpen);
    const inspector = button.current?.closest("[data-inspector]");
    inspector?.querySelector<HTMLElement>("[data-values] [role=tree]")?.focus();
  };
  const shown = (
    <button ref={button} type="button" className={styles.tool} onClick={open}>
      Values
      <VisuallyHidden component="span">{` for ${label}`}</VisuallyHidden>
    </button>
  );
  if (isWide) return shown;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      // Without it, it is as wide as the longest value.
      width="min(26rem, 90vw)"
      // What the hub says of the draft meanwhile may move the field out of the window. The list stays, within the window.
      hideDetached={false}
      middlewares={inWindow}
      shadow="md"
      trapFocus
      closeOnEscape={false}
      withRoles={false}
    >
      <Popover.Target>{shown}</Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label="Values"
        className={look.popover}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key !== "Escape") return;
          setOpen(false);
          button.current?.focus();
        }}
      >
        <ValuesPanel onInserted={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
