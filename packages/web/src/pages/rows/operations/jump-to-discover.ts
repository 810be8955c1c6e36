/** The id of the button that discovers the operations of a row. */
export const discoverId = "discover";

/** Moves to the button that discovers, on the same page. */
export function jumpToDiscover(): void {
  const button = document.getElementById(discoverId);
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}
