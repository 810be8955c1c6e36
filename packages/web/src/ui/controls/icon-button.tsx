import type { IconName } from "@hub/contract/icons.ts";
import type { ComponentProps } from "react";
import { Icon } from "./icon.tsx";

type Props = { icon: IconName; label: string } & Omit<ComponentProps<"button">, "children">;

/** A button that is only an icon. Its label is its name and its tooltip. */
export function IconButton({ icon, label, className = "", ...rest }: Props) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={`hub-icon-button ${className}`}
    >
      <Icon name={icon} />
    </button>
  );
}
