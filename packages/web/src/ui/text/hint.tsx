import { lazy, type ReactNode, Suspense, useEffect, useId, useState } from "react";
import styles from "./hint.module.css";

/** Most pages are read without one, so the parts that place it are loaded with the first. */
const HintBox = lazy(() => import("./hint-box.tsx"));

type Props = {
  label: ReactNode;
  /** One element, beside which the hint is shown. */
  children: ReactNode;
};

/** A text that is shown while the pointer or the keyboard is on an element. */
export function Hint({ label, children }: Props) {
  const id = useId();
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => {
    target?.setAttribute("aria-describedby", id);
    return () => target?.removeAttribute("aria-describedby");
  }, [target, id]);
  const show = ({ currentTarget: { firstElementChild: shown } }: { currentTarget: Element }) =>
    setTarget(shown instanceof HTMLElement ? shown : null);
  const hide = () => setTarget(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears what happens to the element inside, and has no box.
    <span
      className={styles.hint}
      onPointerEnter={(event) => event.pointerType !== "touch" && show(event)}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
    >
      {children}
      {target !== null && (
        <Suspense>
          <HintBox id={id} target={target} label={label} />
        </Suspense>
      )}
    </span>
  );
}
