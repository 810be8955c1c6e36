import { NumberInput, Textarea } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import type { Comment, Position } from "../../graph/body.ts";
import { inputOrder } from "../inputs/field-kit.ts";
import styles from "../inspector.module.css";

type Props = {
  comment: Comment;
  /** Whether the text takes the focus. It does so once. */
  isNew: RefObject<boolean>;
  onChange: (fields: { text: string } | { size: Position }, subject: string) => void;
};

const textCharsMax = 4000;

/** The text and the size of a comment. */
export function CommentFields({ comment, isNew, onChange }: Props) {
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isNew.current) text.current?.focus();
    isNew.current = false;
  }, [isNew]);
  const [width, height] = comment.size;
  const toSize = (value: string | number, before: number) =>
    typeof value === "number" ? value : before;
  return (
    <>
      <Textarea
        ref={text}
        className={styles.field}
        label="Text"
        description="It is shown on the graph only. Runs do not read it."
        inputWrapperOrder={inputOrder}
        autosize
        minRows={5}
        maxRows={20}
        maxLength={textCharsMax}
        value={comment.text}
        onChange={(event) => onChange({ text: event.currentTarget.value }, "text")}
      />
      <div className={styles.naming} style={{ marginTop: "0.75rem" }}>
        <NumberInput
          label="Width"
          min={96}
          max={2000}
          step={16}
          value={width}
          onChange={(value) => onChange({ size: [toSize(value, width), height] }, "size")}
        />
        <NumberInput
          label="Height"
          min={48}
          max={2000}
          step={16}
          value={height}
          onChange={(value) => onChange({ size: [width, toSize(value, height)] }, "size")}
        />
      </div>
    </>
  );
}
