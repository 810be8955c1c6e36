import css from "@xyflow/react/dist/base.css" with { type: "text" };

let isAdded = false;

/** Adds the styles of the graph library, which load with the canvas instead of the first page. */
export function addFlowStyles(): void {
  if (isAdded) return;
  isAdded = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(String(css));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
