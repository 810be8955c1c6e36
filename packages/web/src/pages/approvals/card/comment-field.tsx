import { approvalCommentCharsMax } from "@hub/contract/workflow-approval.ts";
import { Textarea } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import type { KeyboardEvent, Ref } from "react";
import { useMe } from "../../../api/use-me.ts";
import styles from "./comment-field.module.css";

/** The comment that the user writes on an approval. This window keeps it until it is sent. */
export function useCommentDraft(approval: string) {
  const { user } = useMe();
  return useSessionStorage({
    key: `hub.approvals.comment.${user.id}.${approval}`,
    defaultValue: "",
    getInitialValueInEffect: false,
  });
}

type Props = {
  ref: Ref<HTMLTextAreaElement>;
  value: string;
  /** Says who reads the comment. */
  hint: string;
  onChange: (text: string) => void;
};

/** The comment that is sent with the decision. Escape leaves the field and keeps the text. */
export function CommentField({ ref, value, hint, onChange }: Props) {
  const leave = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.blur();
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <div className={styles.field}>
      <Textarea
        ref={ref}
        label="Comment"
        description={hint}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={approvalCommentCharsMax}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={leave}
      />
    </div>
  );
}
