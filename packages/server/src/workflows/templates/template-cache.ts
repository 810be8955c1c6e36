import { parseTemplate } from "./parse/parser.ts";
import type { Template } from "./parse/template-nodes.ts";

/**
 * Keeps parsed templates by their source. The most recently used ones stay, up to `charsMax`
 * characters of source together.
 */
export function createTemplateCache({ charsMax }: { charsMax: number }) {
  const templates = new Map<string, Template>();
  let chars = 0;
  return {
    /** Parses a template, or returns the parsed one. Throws TemplateError. */
    parse: (source: string): Template => {
      const known = templates.get(source);
      if (known !== undefined) {
        templates.delete(source);
        templates.set(source, known);
        return known;
      }
      const parsed = parseTemplate(source);
      templates.set(source, parsed);
      chars += source.length;
      for (const oldest of templates.keys()) {
        if (chars <= charsMax) break;
        templates.delete(oldest);
        chars -= oldest.length;
      }
      return parsed;
    },
    count: () => templates.size,
  };
}
