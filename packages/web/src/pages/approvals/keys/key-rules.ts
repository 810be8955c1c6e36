import { isPlainPress, type KeyPress } from "../../../ui/keys/plain-key.ts";

/** Where the focus is: in a field, in the content of the page, or in its menu, header or a dialog. */
export type KeyScope = "field" | "page" | "elsewhere";

/** What is known of a pressed key. */
export type Press = KeyPress & Pick<KeyboardEvent, "repeat" | "shiftKey"> & { scope: KeyScope };

type KeyAct = {
  run: () => void;
  /** Does nothing until the content has been shown for `doublePressMs`. */
  waits?: boolean;
};

/** By the key, in lower case. */
export type KeyActs = Readonly<Record<string, KeyAct | undefined>>;

/** The second press of a double press comes within this time. */
export const doublePressMs = 400;

/** What a pressed key does, or null. */
export function findAct(
  acts: KeyActs,
  press: Press,
  { isOn, isSettled }: { isOn: boolean; isSettled: boolean },
): (() => void) | null {
  const { key, shiftKey } = press;
  if (!isPlainPress(press) || press.repeat || press.scope !== "page") return null;
  // Many keyboards have the question mark above another character.
  if (shiftKey && key !== "?") return null;
  // Only single characters can be switched off.
  if (!isOn && key.length === 1) return null;
  const name = key.length === 1 ? key.toLowerCase() : key;
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act === undefined || (act.waits === true && !isSettled)) return null;
  return act.run;
}
