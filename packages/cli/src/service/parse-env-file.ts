const name = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** In double quotes, a backslash in front of any other character is an ordinary one. */
const quotedEscapes = new Set(['"', "\\", "`", "$"]);

/**
 * Parses a file of variables as systemd does: one NAME=value a line, comments after `#` or `;` at the beginning of a line, values in
 * single or double quotes, which may have several lines, and a backslash that joins two lines. Other lines are ignored.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  let at = 0;
  while (at < text.length) {
    const lineEnd = findEnd(text, at);
    const line = text.slice(at, lineEnd);
    const equals = line.indexOf("=");
    const key = line.slice(0, Math.max(0, equals)).trim();
    if (/^\s*[#;]/.test(line) || !name.test(key)) {
      at = lineEnd + 1;
      continue;
    }
    const read = readValue(text, at + equals + 1);
    variables[key] = read.value;
    at = read.end + 1;
  }
  return variables;
}

/** The value from here on, and the end of its last line. */
function readValue(text: string, start: number): { value: string; end: number } {
  let value = "";
  /** What is written without quotes at the end loses its spaces. */
  let kept = 0;
  let quote = "";
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "\\" && quote !== "'" && next !== "") {
      at += 1;
      if (next === "\n") continue;
      value += quote === '"' && !quotedEscapes.has(next) ? `\\${next}` : next;
      kept = value.length;
    } else if (quote !== "" && char === quote) {
      quote = "";
    } else if (quote === "" && (char === '"' || char === "'")) {
      quote = char;
    } else if (quote === "" && char === "\n") {
      break;
    } else {
      // Spaces in front of the value.
      if (quote === "" && value === "" && /\s/.test(char)) continue;
      value += char;
      if (quote !== "" || !/\s/.test(char)) kept = value.length;
    }
  }
  return { value: value.slice(0, kept), end: at };
}

function findEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
