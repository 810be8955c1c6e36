import { type IconName, icons } from "@hub/contract/icons.ts";

/** An icon beside a text. It says nothing to screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="hub-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}
