import { useEffect, useRef } from "react";
import styles from "../form.module.css";
import { buildNodes, collectInputs, isNative } from "./build-nodes.ts";
import { readMarkup } from "./read-markup.ts";
import { toSafeSheet } from "./safe-styles.ts";

export type WidgetClick = { op: string; arg?: string; input: Record<string, string> };

type Props = {
  /** The markup as the connector returned it. */
  html: string;
  /** Whether the end of the markup is missing. */
  isCut: boolean;
  /** Names the widget for screen readers. */
  label: string;
  isBusy: boolean;
  onClick: (click: WidgetClick) => void;
};

/** Looks like the rest of the page, where the widget has no styles of its own. */
const baseCss = `
* { box-sizing: border-box; max-width: 100%; }
p { margin: 0 0 0.5rem; }
p:last-child { margin-bottom: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); text-align: start; }
th { color: var(--soft); font-size: 0.8125rem; font-weight: 600; }
tr[data-op], li[data-op], div[data-op] { cursor: pointer; }
tr[data-op]:hover, li[data-op]:hover { background: var(--hover); }
a { color: var(--accent); }
/* Else the padding of an inline element is outside its line, and the last line is cut. */
:is(a, b, code, em, i, label, small, span, strong)[role="button"]:not([hidden]) { display: inline-block; }
button, [role="button"]:not(tr, li, td, div) {
  min-height: 2rem; padding: 0.2rem 0.75rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); color: var(--ink); font: inherit; font-weight: 500; cursor: pointer;
}
input:is([type="checkbox"], [type="radio"]) { width: 1.125rem; height: 1.125rem; margin: 0.25rem; accent-color: var(--accent); }
button:hover { background: var(--hover); }
button:disabled { color: var(--soft); cursor: default; }
input:not([type="checkbox"], [type="radio"], [type="range"]), select, textarea {
  min-height: 2rem; padding: 0.2rem 0.5rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); color: var(--ink); font: inherit;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
code, pre { font-family: var(--font-code); font-size: 0.875em; }
pre { overflow: auto; }
img { height: auto; }
`;

/** A connector's markup, in a shadow root and without anything that runs or loads. */
export function HtmlWidget({ html, isCut, label, isBusy, onClick }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ onClick, isBusy });
  useEffect(() => {
    latest.current = { onClick, isBusy };
  });
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const markup = readMarkup(html);
    const base = new CSSStyleSheet();
    base.replaceSync(baseCss);
    root.adoptedStyleSheets = [base, toSafeSheet(markup.sheets)];
    root.replaceChildren(buildNodes(markup.nodes));
    if (isCut || markup.isCut) {
      const note = document.createElement("p");
      note.textContent = "The widget is too large. The rest of it is not shown.";
      root.append(note);
    }
    const click = (element: Element) => {
      if (latest.current.isBusy || element.hasAttribute("disabled")) return;
      const arg = element.getAttribute("data-arg");
      const op = element.getAttribute("data-op") ?? "";
      latest.current.onClick({ op, ...(arg !== null && { arg }), input: collectInputs(root) });
    };
    const find = (event: Event) =>
      event.target instanceof Element ? event.target.closest("[data-op]") : null;
    const stop = new AbortController();
    const { signal } = stop;
    root.addEventListener(
      "click",
      (event) => {
        const element = find(event);
        if (element === null) return;
        event.preventDefault();
        click(element);
      },
      { signal },
    );
    root.addEventListener(
      "keydown",
      (event) => {
        if (!(event instanceof KeyboardEvent) || !["Enter", " "].includes(event.key)) return;
        const element = find(event);
        if (element === null || element !== event.target || isNative(element)) return;
        event.preventDefault();
        click(element);
      },
      { signal },
    );
    root.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        const form = event.target instanceof Element ? event.target : null;
        const button = form?.querySelector("button[data-op]") ?? null;
        if (button !== null) click(button);
      },
      { signal },
    );
    return () => stop.abort();
  }, [html, isCut]);
  return (
    <div
      ref={host}
      className={styles.html}
      role="group"
      aria-label={label}
      aria-busy={isBusy}
      data-busy={isBusy || undefined}
    />
  );
}
