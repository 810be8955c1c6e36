import type { MarkupElement, MarkupNode } from "./read-markup.ts";
import { readInlineStyle } from "./safe-styles.ts";

/** Makes the elements of a widget. Each is created by name, so that no text becomes markup. */
export function buildNodes(nodes: readonly MarkupNode[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  appendNodes(fragment, nodes);
  return fragment;
}

function appendNodes(parent: ParentNode & Node, nodes: readonly MarkupNode[]): void {
  for (const node of nodes) {
    parent.append(typeof node === "string" ? document.createTextNode(node) : buildElement(node));
  }
}

function buildElement({ tag, attributes, style, children }: MarkupElement): HTMLElement {
  const element = document.createElement(tag);
  // Before the value, which an input changes to fit its type.
  if (tag === "button") element.setAttribute("type", "button");
  for (const [name, value] of attributes) element.setAttribute(name, value);
  if (tag === "a") {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (tag === "input") element.setAttribute("autocomplete", "off");
  for (const { name, value, isImportant } of style === null ? [] : readInlineStyle(style)) {
    element.style.setProperty(name, value, isImportant ? "important" : "");
  }
  appendNodes(element, children);
  if (element.dataset.op !== undefined && !isNative(element)) {
    element.tabIndex = 0;
    // A row or an item with another role would break its table or list.
    if (!["LI", "TD", "TH", "TR"].includes(element.tagName)) element.setAttribute("role", "button");
  }
  return element;
}

/** Elements that the keyboard reaches, and that it clicks, by themselves. */
export function isNative({ tagName }: Element): boolean {
  return ["A", "BUTTON", "INPUT", "SELECT", "SUMMARY", "TEXTAREA"].includes(tagName);
}

/** The named elements as a click sends them: a box only if it is checked. */
export function collectInputs(root: ParentNode): Record<string, string> {
  const inputs: Record<string, string> = Object.create(null);
  for (const element of root.querySelectorAll("input[name], textarea[name], select[name]")) {
    const name = element.getAttribute("name") ?? "";
    if (element instanceof HTMLInputElement && ["checkbox", "radio"].includes(element.type)) {
      if (element.checked) inputs[name] = element.getAttribute("value") ?? "on";
    } else if (
      element instanceof HTMLInputElement ||
      element instanceof HTMLTextAreaElement ||
      element instanceof HTMLSelectElement
    ) {
      inputs[name] = element.value;
    }
  }
  return { ...inputs };
}
