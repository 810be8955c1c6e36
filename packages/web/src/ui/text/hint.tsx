import { useTimeout } from "@mantine/hooks";
import {
  type FocusEvent,
  lazy,
  type PointerEvent,
  type ReactNode,
  Suspense,
  useId,
  useState,
} from "react";

/** Most pages are read without one, so the parts that place it are loaded with the first. */
const HintBox = lazy(() => import("./hint-box.tsx"));

/** The pointer needs so long at most to go over to the hint. */
const leftMs = 200;

/** What the element has that the hint is about. */
export type Hinted = {
  "aria-describedby": string | undefined;
  onPointerEnter: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave: () => void;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: () => void;
};

type Props = {
  label: ReactNode;
  /** The element, beside which the hint is shown. */
  children: (hinted: Hinted) => ReactNode;
};

/** A text that is shown while the pointer or the keyboard is on an element, or the pointer on the text. Escape hides it. */
export function Hint({ label, children }: Props) {
  const id = useId();
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const hide = () => setTarget(null);
  const leaving = useTimeout(hide, leftMs);
  const show = (shown: HTMLElement) => {
    leaving.clear();
    setTarget(shown);
  };
  const leave = () => {
    if (target?.matches(":focus-visible") !== true) leaving.start();
  };
  const hinted: Hinted = {
    "aria-describedby": target === null ? undefined : id,
    onPointerEnter({ pointerType, currentTarget }) {
      if (pointerType !== "touch") show(currentTarget);
    },
    onPointerLeave: leave,
    onFocus: ({ currentTarget }) => show(currentTarget),
    onBlur: hide,
  };
  return (
    <>
      {children(hinted)}
      {target !== null && (
        <Suspense>
          <HintBox
            id={id}
            target={target}
            label={label}
            onHide={hide}
            onEnter={leaving.clear}
            onLeave={leave}
          />
        </Suspense>
      )}
    </>
  );
}
