import type { RefObject } from "react";
import { useToast } from "../../../../ui/dialogs/toasts.tsx";
import { findItem, isTrigger, type Position } from "../../graph/body.ts";
import { copyItems, pasteItems, readCopied } from "../../graph/clipboard.ts";
import {
  addNode,
  addTrigger,
  type InsertPoint,
  makeId,
  move,
  removeItems,
  switchItems,
} from "../../graph/commands.ts";
import { addComment, isCommentKey } from "../../graph/comments.ts";
import { toTitle } from "../../graph/describe-item.ts";
import { toGrid } from "../../graph/grid.ts";
import { findCommentPosition, findFreePosition } from "../../graph/place-item.ts";
import { findNeighbour } from "../../graph/walk-graph.ts";
import type { CanvasHandle } from "../../view/canvas-props.ts";
import { commentType, type NewItem } from "../palette/new-item.ts";
import { noSelection, type Selection } from "../use-selection.ts";
import type { DraftEditor } from "./use-draft.ts";

type Deps = {
  draft: DraftEditor;
  positions: Readonly<Record<string, Position>> | null;
  selection: Selection;
  flow: RefObject<CanvasHandle | null>;
  /** The palette has done its work. */
  onAdded: () => void;
  /** A new comment takes what is typed next. */
  onComment: () => void;
};

/** What adds, removes, moves and copies items of the draft, and where the selection is afterwards. */
export function useEdits({ draft, positions, selection, flow, onAdded, onComment }: Deps) {
  const { body, apply } = draft;
  const { selected, select, goTo } = selection;
  const toast = useToast();
  const findCentre = (): Position => flow.current?.findCentre() ?? [0, 0];

  const comment = (at: Position) => {
    const [, key] = addComment(body, at);
    apply((before) => addComment(before, at)[0]);
    onAdded();
    select(new Set([key]));
    onComment();
  };
  const commentInView = () => comment(findCommentPosition(body, positions ?? {}, findCentre()));
  const add = (item: NewItem, at: InsertPoint | null, dropped?: Position) => {
    if (item.type === commentType) {
      return dropped === undefined ? commentInView() : comment(toGrid(dropped));
    }
    const id = makeId(body, item.id);
    const made = { ...item.fields, id, type: item.type };
    const shown = positions ?? {};
    const around = dropped ?? findCentre();
    const position = findFreePosition(body, shown, dropped === undefined ? at : null, around);
    apply((before) => {
      // What was placed automatically stays where it is.
      const placed = move(before, shown);
      return item.isTrigger
        ? addTrigger(placed, made, position)
        : addNode(placed, made, at, position);
    });
    onAdded();
    goTo(id);
  };
  const remove = (ids: ReadonlySet<string>) => {
    if (ids.size === 0) return;
    const [only = ""] = ids;
    const item = findItem(body, only);
    const name =
      item !== null
        ? toTitle(item, isTrigger(body, only))
        : isCommentKey(only)
          ? "The comment"
          : only;
    const next = ids.size === 1 ? findNeighbour(body, only, "left", positions ?? {}) : null;
    apply((before) => removeItems(before, ids));
    toast({
      text: ids.size === 1 ? `${name} is removed.` : `${ids.size} items are removed.`,
      onUndo: draft.undo,
    });
    if (next === null) select(noSelection);
    else goTo(next);
  };
  const moveBy = ([x, y]: readonly [number, number]) => {
    const entries = [...selected].map((id) => {
      const [left, top] = positions?.[id] ?? [0, 0];
      return [id, [left + x, top + y]] as const;
    });
    apply(
      (before) => move(before, { ...positions, ...Object.fromEntries(entries) }),
      `move ${[...selected].join(" ")}`,
    );
  };
  const paste = (text: string) => {
    const part = readCopied(tryParse(text));
    if (part === null) return;
    const pasted = pasteItems(body, part, [48, 48]);
    apply(() => pasted.body);
    select(pasted.ids);
  };
  const copy = () => navigator.clipboard.writeText(copyItems(body, selected));
  const duplicate = () => paste(copyItems(body, selected));
  const switchOff = () => {
    const changed = switchItems(body, selected);
    if (changed !== body) return apply(() => changed);
    if (selected.size > 0) {
      toast({
        text: "Triggers, and steps with cases, cannot be switched off. Remove the connection to them.",
      });
    }
  };
  return { add, commentInView, remove, moveBy, paste, copy, duplicate, switchOff };
}

export type Edits = ReturnType<typeof useEdits>;

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
