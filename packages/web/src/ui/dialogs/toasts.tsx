import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
} from "react";
import { IconButton } from "../controls/icon-button.tsx";
import styles from "./toasts.module.css";

type Toast = {
  text: string;
  kind?: "info" | "error";
  /** Takes back what was done. */
  onUndo?: () => void;
  /** The next step, such as "New row". */
  action?: { text: string; run: () => void };
};
type ShowToast = (toast: Toast) => void;

const ToastContext = createContext<ShowToast>(() => {});

/** Returns the function that shows a short message, if the action can be taken back with Undo. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

const shownMs = 8000;

/** Shows the messages in a corner. A message stays while the pointer or the focus is on it. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Array<Toast & { id: number }>>([]);
  const nextId = useRef(1);
  const hide = useCallback(
    (id: number) => setToasts((all) => all.filter((one) => one.id !== id)),
    [],
  );
  const show = useCallback<ShowToast>((toast) => {
    nextId.current += 1;
    const id = nextId.current;
    setToasts((all) => [...all.slice(-3), { ...toast, id }]);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <div className={styles.region} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastLine key={toast.id} toast={toast} onHide={() => hide(toast.id)} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastLine({ toast, onHide }: { toast: Toast; onHide: () => void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hold = () => clearTimeout(timer.current);
  const start = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(onHide, shownMs);
  };
  const watch = (element: HTMLDivElement | null) => {
    if (element !== null && timer.current === undefined) start();
  };
  const classes = useMemo(
    () => `${styles.toast} ${toast.kind === "error" ? styles.error : ""}`,
    [toast.kind],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps the message.
    <div
      ref={watch}
      className={classes}
      onPointerEnter={hold}
      onPointerLeave={start}
      onFocus={hold}
      onBlur={start}
    >
      <span>{toast.text}</span>
      {toast.action !== undefined && (
        <button
          type="button"
          className={styles.undo}
          onClick={() => {
            toast.action?.run();
            onHide();
          }}
        >
          {toast.action.text}
        </button>
      )}
      {toast.onUndo !== undefined && (
        <button
          type="button"
          className={styles.undo}
          onClick={() => {
            toast.onUndo?.();
            onHide();
          }}
        >
          Undo
        </button>
      )}
      <IconButton icon="close" label="Hide this message" onClick={onHide} />
    </div>
  );
}
