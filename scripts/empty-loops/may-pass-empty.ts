/**
 * Whether a test in this text may have no assertion outside loops. To read lines is much faster than to parse: most tests
 * have a statement that begins with `expect`, and no loop makes them.
 */
export function mayPassEmpty(text: string): boolean {
  let indent: string | null = null;
  let isFound = false;
  for (const line of text.split("\n")) {
    // What may make tests.
    if (/\.each\((?!\[)/.test(line)) return true;
    if (indent === null) {
      if (/^\s*(?:for \(|\S+\.forEach\()/.test(line)) return true;
      const begun = /^(\s*)(?:test|it|nightlyTest)\b[.(]/.exec(line);
      if (begun === null) continue;
      if (line.endsWith(";") && !line.includes("expect(")) return true;
      indent = line.endsWith(";") ? null : (begun[1] ?? "");
      isFound = false;
    } else if (line.startsWith(`${indent}}`) || line.startsWith(`${indent})`)) {
      if (!isFound) return true;
      indent = null;
    } else if (line.startsWith(`${indent}  `)) {
      isFound ||= /^(?:await )?expect\(/.test(line.slice(indent.length + 2));
    }
  }
  return indent !== null;
}
