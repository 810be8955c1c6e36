import type { KeyboardEvent } from "react";
import type { Position } from "../../graph/body.ts";
import { findOpenOutput, type InsertPoint } from "../../graph/commands.ts";
import { findNeighbour, sortItems } from "../../graph/walk-graph.ts";
import type { DraftEditor } from "../draft/use-draft.ts";
import type { Edits } from "../draft/use-edits.ts";
import { noSelection, type Selection } from "../use-selection.ts";
import { readShortcut } from "./shortcuts.ts";

type Deps = {
  draft: DraftEditor;
  positions: Readonly<Record<string, Position>> | null;
  selection: Selection;
  edits: Edits;
  onAdd: (at: InsertPoint | null) => void;
  onHelp: () => void;
  /** Moves the focus into the inspector. */
  onOpen: () => void;
};

/** Does what a key means on the graph. */
export function handleGraphKey(event: KeyboardEvent<HTMLElement>, deps: Deps) {
  const { draft, positions, selection, edits, onAdd, onHelp, onOpen } = deps;
  const { body } = draft;
  const { selected, select, goTo } = selection;
  const shortcut = readShortcut(event);
  if (shortcut === null || positions === null) return;
  const [only] = selected;
  if (shortcut.kind !== "copy" && shortcut.kind !== "paste") event.preventDefault();
  switch (shortcut.kind) {
    case "add":
      return onAdd(only === undefined ? null : findOpenOutput(body, only));
    case "walk": {
      const from = only ?? sortItems(body)[0];
      if (from === undefined) return;
      const to = only === undefined ? from : findNeighbour(body, from, shortcut.to, positions);
      if (to !== null) goTo(to);
      return;
    }
    case "move":
      return edits.moveBy(shortcut.by);
    case "remove":
      return edits.remove(selected);
    case "undo":
      return draft.undo();
    case "redo":
      return draft.redo();
    case "comment":
      return edits.commentInView();
    case "all":
      return select(new Set(Object.keys(positions)));
    case "duplicate":
      return edits.duplicate();
    case "copy":
      return void (selected.size > 0 && edits.copy());
    case "cut":
      return void (selected.size > 0 && edits.copy().then(() => edits.remove(selected)));
    case "paste":
      return void navigator.clipboard.readText().then(edits.paste, () => {});
    case "open":
      return onOpen();
    case "leave":
      return select(noSelection);
    case "switchOff":
      return edits.switchOff();
    case "help":
      return onHelp();
    case "save":
      return void draft.flush();
  }
}

/** Keys that work on the whole page. In a text they are the browser's, except saving. */
export function handlePageKey(event: KeyboardEvent<HTMLElement>, draft: DraftEditor): void {
  const shortcut = readShortcut(event);
  if (shortcut === null || event.defaultPrevented) return;
  const isText = event.target instanceof Element && event.target.matches("input, textarea");
  const run = { save: draft.flush, undo: draft.undo, redo: draft.redo };
  if (shortcut.kind !== "save" && (isText || !(shortcut.kind in run))) return;
  event.preventDefault();
  if (shortcut.kind === "save" || shortcut.kind === "undo" || shortcut.kind === "redo") {
    void run[shortcut.kind]();
  }
}
