import type { LinkFlowEdge } from "../graph/flow.ts";

/** The data of a drag of the palette. Nodes have the second kind too, because they can be put on a connection. */
export const itemData = "application/x-hub-item";
export const nodeData = "application/x-hub-node";

/** The connection at a point of the window, also below the node that is dragged there. */
export function findLinkAt(
  edges: readonly LinkFlowEdge[],
  { clientX, clientY }: { clientX: number; clientY: number },
): LinkFlowEdge | null {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    const at = element.closest<HTMLElement | SVGElement>(".react-flow__edge, [data-link]");
    const id = at?.dataset.link ?? at?.dataset.id;
    const found = id === undefined ? undefined : edges.find((edge) => edge.id === id);
    if (found !== undefined) return found;
  }
  return null;
}

let marked: Element | null = null;

/** Shows on which connection something would be dropped. One at a time, because there is one pointer. */
export function markLink(pane: HTMLElement | null, link: LinkFlowEdge | null): void {
  marked?.removeAttribute("data-drop");
  marked =
    link === null
      ? null
      : (pane?.querySelector(`.react-flow__edge[data-id="${CSS.escape(link.id)}"]`) ?? null);
  marked?.setAttribute("data-drop", "");
}
