import type { Json } from "@hub/connector";
import type { Template } from "../../templates/parse/template-nodes.ts";
import { createBudget, type TemplateRoots } from "../../templates/render/render-context.ts";
import { renderDeep } from "../../templates/render/render-deep.ts";

/** The data of a run's templates, but for the item of a node. */
export type RunData = Omit<TemplateRoots, "Item" | "Index">;

export type ItemScope = { item: Json; index: number };

export type Render = {
  render(value: Json): Json;
  /** What the rendered templates missed, in their order. */
  warnings: string[];
};

type RenderDeps = { parse(source: string): Template; now(): number };

/** Renders the fields of one step, which share one limit of steps and of output. */
export function createRender(deps: RenderDeps, data: RunData, scope: ItemScope | null): Render {
  const roots = scope === null ? data : { ...data, Item: scope.item, Index: scope.index };
  const warnings: string[] = [];
  const budget = createBudget();
  return {
    warnings,
    render(value) {
      const rendered = renderDeep(value, roots, { now: deps.now(), parse: deps.parse, budget });
      warnings.push(...rendered.warnings);
      return rendered.value;
    },
  };
}
