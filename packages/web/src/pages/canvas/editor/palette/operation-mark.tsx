import look from "./item-palette.module.css";

type Props = { destructive: boolean; reads: boolean };

/** Whether an operation changes or deletes something, or only reads. */
export function OperationMark({ destructive, reads }: Props) {
  if (destructive)
    return (
      <span className={look.mark} data-destructive>
        Destructive
      </span>
    );
  return reads ? <span className={look.mark}>Only reads</span> : null;
}
