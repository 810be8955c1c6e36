/** One attribute of a tag; `value` is null for a bare name. */
export type TagAttribute = { name: string; value: string | null };

/** Throws an error about one attribute of one field: a mistake of the connector's author. */
export type FailAttribute = (attribute: string, problem: string) => never;

/**
 * Splits a tag at its semicolons and decodes its two escapes, `\;` and `\\`. White space around an
 * attribute is removed, so that a long tag can be written over several lines.
 */
export function splitTag(tag: string, fail: FailAttribute): TagAttribute[] {
  if (tag.trim() === "") return [];
  return splitText(tag, fail).map((text) => {
    const attribute = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
    const equals = attribute.indexOf("=");
    const name = equals === -1 ? attribute : attribute.slice(0, equals);
    if (name === "") fail(attribute, "has no name; remove the extra semicolon");
    return { name, value: equals === -1 ? null : attribute.slice(equals + 1) };
  });
}

function splitText(tag: string, fail: FailAttribute): string[] {
  if (!tag.includes("\\")) return tag.split(";");
  const attributes: string[] = [];
  let current = "";
  for (let at = 0; at < tag.length; at += 1) {
    const char = tag.charAt(at);
    if (char === ";") {
      attributes.push(current);
      current = "";
    } else if (char === "\\") {
      at += 1;
      const escaped = tag.charAt(at);
      if (escaped !== ";" && escaped !== "\\") {
        fail(
          nameOf(current),
          "has a lone backslash; write two for a backslash, or one before a semicolon",
        );
      }
      current += escaped;
    } else {
      current += char;
    }
  }
  return [...attributes, current];
}

function nameOf(attribute: string): string {
  return attribute.trim().split("=", 1)[0] ?? "";
}
