import { Dialog } from "../../../../ui/dialogs/dialog.tsx";
import { Properties } from "../../../../ui/page/properties.tsx";

const shortcuts: ReadonlyArray<readonly [keys: string, meaning: string]> = [
  ["N", "Add a node after the selected one"],
  ["C", "Write a comment on the graph"],
  ["Arrow keys", "Go to the next node or comment"],
  ["Shift + arrow keys", "Move what is selected"],
  ["Enter", "Edit what is selected, from its first field"],
  ["D", "Switch what is selected off or on"],
  ["Escape", "Go back to the graph, or select nothing"],
  ["Delete", "Remove what is selected"],
  ["Ctrl + A", "Select everything"],
  ["Ctrl + C, X, V", "Copy, cut and paste, also into another workflow"],
  ["Ctrl + D", "Duplicate what is selected"],
  ["Ctrl + Z, Ctrl + Y", "Undo and redo"],
  ["+, −", "Draw the graph larger or smaller"],
  ["0, 1", "Draw it at 100 %, or all of it"],
  ["Ctrl + S", "Save now"],
  ["?", "Show these keys"],
];

/** The keys of the graph. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keys of the graph">
      <Properties items={shortcuts} />
    </Dialog>
  );
}
