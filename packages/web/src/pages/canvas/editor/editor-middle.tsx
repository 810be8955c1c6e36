import type { ComponentProps } from "react";
import type { usePositions } from "../use-positions.ts";
import { CanvasSkeleton } from "../view/canvas-skeleton.tsx";
import { DraftGraph } from "./draft/draft-graph.tsx";
import type { useEdits } from "./draft/use-edits.ts";
import styles from "./editor.module.css";
import { EditorPanel } from "./editor-panel.tsx";
import { LazyPart } from "./lazy-part.tsx";
import type { PaletteAt } from "./palette/palette-at.ts";
import type { useEditorParts } from "./use-editor-parts.ts";
import type { useRunLooks } from "./use-run-looks.ts";
import type { useSelection } from "./use-selection.ts";

type Props = Pick<
  ComponentProps<typeof DraftGraph>,
  "draft" | "toLook" | "flow" | "onKeyDown" | "isAdding"
> &
  Pick<ComponentProps<typeof EditorPanel>, "problems" | "workflow"> &
  Pick<ReturnType<typeof useRunLooks>, "shown" | "showRun"> &
  Pick<ReturnType<typeof useEditorParts>, "bottom" | "setBottom"> & {
    positions: ReturnType<typeof usePositions>;
    selection: ReturnType<typeof useSelection>;
    edits: ReturnType<typeof useEdits>;
    /** Opens the palette for an item that is connected there. */
    setPalette: (palette: PaletteAt) => void;
  };

/** The graph of the draft, the bar of the shown run, and the panel below. */
export function EditorMiddle(props: Props) {
  const { draft, positions, problems, selection, toLook, shown, flow, onKeyDown, edits } = props;
  const { bottom, setBottom, showRun, setPalette, workflow, isAdding } = props;
  const { selected, goTo } = selection;
  return (
    <div className={styles.middle}>
      {positions === null ? (
        <CanvasSkeleton />
      ) : (
        <DraftGraph
          draft={draft}
          positions={positions}
          selected={selected}
          toLook={toLook}
          flow={flow}
          onKeyDown={onKeyDown}
          isAdding={isAdding}
          toLinkLook={shown?.toLinkLook}
          onSelect={selection.select}
          onAdd={(at, spot) => setPalette({ at, spot })}
          onDrop={edits.add}
        />
      )}
      {shown !== undefined && (
        <LazyPart load={loadRunBar} onFailed={nothing}>
          {({ RunBar }) => <RunBar shown={shown} onGo={goTo} onClose={() => showRun(undefined)} />}
        </LazyPart>
      )}
      <EditorPanel
        draft={draft}
        problems={problems}
        selected={selected}
        shown={shown}
        workflow={workflow}
        open={bottom}
        onOpen={setBottom}
        onGo={goTo}
      />
    </div>
  );
}

const loadRunBar = () => import("../run/run-bar.tsx");
const nothing = () => {};
