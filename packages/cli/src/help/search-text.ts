import type { FoundSection } from "@hub/server/docs/search-docs.ts";

/** Found sections for a terminal: the command that shows the page, the section, and a part of its text. */
export function toSearchText(found: readonly FoundSection[], name: string): string {
  return found
    .map(({ topic, page, section, snippet }) => {
      const title = section === page ? page : `${page}: ${section}`;
      return [title, `  ${name} help ${topic}`, ...(snippet === "" ? [] : [`  ${snippet}`])].join(
        "\n",
      );
    })
    .join("\n\n");
}
