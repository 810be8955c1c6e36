import type { Json } from "@hub/connector";
import { parseTemplate } from "../parse/parser.ts";
import type { Template } from "../parse/template-nodes.ts";
import { TemplateError } from "../template-error.ts";
import { valueDepthMax, warningsMax } from "../template-limits.ts";
import { type Budget, createBudget, type TemplateRoots } from "./render-context.ts";
import { renderTemplate } from "./render-template.ts";

/**
 * Renders the templates in all strings of a value; keys stay as they are. The fields share one
 * limit of steps and of output. Throws TemplateError, whose place is in its own string.
 */
export function renderDeep(
  value: Json,
  roots: TemplateRoots,
  {
    now,
    parse = parseTemplate,
    budget = createBudget(),
  }: { now: number; parse?: (source: string) => Template; budget?: Budget },
): { value: Json; warnings: string[] } {
  const warnings: string[] = [];
  const render = (part: Json, depth: number): Json => {
    if (typeof part === "string") {
      if (!part.includes("{{")) return part;
      const rendered = renderTemplate(parse(part), roots, { now, budget });
      warnings.push(...rendered.warnings.slice(0, warningsMax - warnings.length));
      return rendered.value;
    }
    if (typeof part !== "object" || part === null || JSON.isRawJSON(part)) return part;
    if (depth >= valueDepthMax) {
      const reason = `The value is nested more than ${valueDepthMax} deep.`;
      throw new TemplateError({ source: "", offset: 0 }, "template_limit", reason);
    }
    if (Array.isArray(part)) return part.map((item) => render(item, depth + 1));
    // `fromEntries` defines members, so the key `__proto__` sets no prototype.
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [key, render(member, depth + 1)]),
    );
  };
  return { value: render(value, 0), warnings };
}
