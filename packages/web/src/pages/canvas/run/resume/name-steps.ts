import type { Body } from "../../graph/body.ts";
import { toTitle } from "../../graph/describe-item.ts";

/** Names steps as the graph does. The id follows a name that several have. One that is not in the body has its id alone. */
export function createStepNames(body: Body): (id: string) => string {
  const titles = new Map(body.nodes.map((node) => [node.id, toTitle(node, false)]));
  const counts = Map.groupBy(titles.values(), (title) => title);
  return (id) => {
    const title = titles.get(id);
    if (title === undefined) return id;
    return counts.get(title)?.length === 1 ? title : `${title} (${id})`;
  };
}
