import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { RefObject } from "react";
import { useApiClient } from "../../../api/use-api.ts";
import { findItem, isTrigger } from "../graph/body.ts";
import { canSwitch, switchItems } from "../graph/commands.ts";
import { findComment, setComment } from "../graph/comments.ts";
import { toTitle } from "../graph/describe-item.ts";
import type { InspectorTab } from "../inspector/item-inspector.tsx";
import { movePin } from "../run/start/draft-pins.ts";
import type { useShownRun } from "../run/use-shown-run.ts";
import type { useDraft } from "./draft/use-draft.ts";
import { InspectorSide } from "./inspector-side.tsx";
import type { useProblems } from "./problems/use-problems.ts";
import { noSelection, type useSelection } from "./use-selection.ts";

export type SelectedSideProps = Pick<ReturnType<typeof useProblems>, "problems" | "unread"> &
  Pick<ReturnType<typeof useShownRun>, "shown"> & {
    workflow: string;
    draft: ReturnType<typeof useDraft>;
    selection: ReturnType<typeof useSelection>;
    /** The selected item. */
    id: string;
    tab: InspectorTab;
    onTab: (tab: InspectorTab) => void;
    /** The names of the workflow's secrets. */
    secrets: string[];
    /** The run that is shown on the graph. */
    run: string | null;
    /** Asks how the draft is run. */
    onRun: () => void;
    /** Whether the text of a comment takes the focus, because it was just added. */
    editsNew: RefObject<boolean>;
  };

/** The fields of the selected item, or of the selected comment. */
export function SelectedSide(props: SelectedSideProps) {
  const { body } = props.draft;
  if (findItem(body, props.id) !== null) return <ItemSide {...props} />;
  return findComment(body, props.id) === null ? null : <CommentSide {...props} />;
}

function ItemSide({
  workflow,
  draft,
  selection,
  id,
  problems,
  unread,
  shown,
  ...rest
}: SelectedSideProps) {
  const { tab, onTab, secrets, run, onRun } = rest;
  const api = useApiClient();
  const queries = useQueryClient();
  const { body, apply } = draft;
  const { select, focusItem, show } = selection;
  const inspected = findItem(body, id);
  if (inspected === null) return null;
  const isOne = isTrigger(body, inspected.id);
  return (
    <InspectorSide
      title={toTitle(inspected, isOne)}
      actions={
        !isOne &&
        canSwitch(inspected) && (
          <Button
            size="compact-xs"
            variant="default"
            title="Key D on the graph"
            onClick={() => apply((before) => switchItems(before, new Set([id])))}
          >
            {inspected.disabled === true ? "Switch on" : "Switch off"}
          </Button>
        )
      }
      load={loadInspector}
      onLeave={() => focusItem(inspected.id)}
      onClose={() => select(noSelection)}
      onResized={() => show(inspected.id)}
    >
      {({ ItemInspector }, isWide) => (
        <ItemInspector
          shown={shown}
          tab={tab}
          onTab={onTab}
          workflow={workflow}
          body={body}
          item={inspected}
          problems={problems}
          secrets={secrets}
          run={run}
          apply={apply}
          unread={unread}
          flush={draft.flush}
          onRun={onRun}
          isWide={isWide}
          onRenamed={(id) => {
            unread.rename(inspected.id, id);
            void movePin(api, queries, { workflow, from: inspected.id, to: id }).catch(() => {});
            select(new Set([id]));
          }}
        />
      )}
    </InspectorSide>
  );
}

function CommentSide({ draft, selection, id, editsNew }: SelectedSideProps) {
  const { body, apply } = draft;
  const { select, focusItem, show } = selection;
  const commented = findComment(body, id);
  if (commented === null) return null;
  return (
    <InspectorSide
      title="Comment"
      load={loadCommentFields}
      onLeave={() => focusItem(id)}
      onResized={() => show(id)}
      onClose={() => select(noSelection)}
    >
      {({ CommentFields }) => (
        <CommentFields
          key={id}
          comment={commented}
          isNew={editsNew}
          onChange={(fields, subject) =>
            apply((before) => setComment(before, id, fields), `${id} ${subject}`)
          }
        />
      )}
    </InspectorSide>
  );
}

const loadCommentFields = () => import("../inspector/fields/comment-fields.tsx");
const loadInspector = () => import("../inspector/item-inspector.tsx");
