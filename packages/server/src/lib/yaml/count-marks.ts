/** The marks of a text: each value has one of them before it or after it. Counting ends above `max`. */
export function countMarks(text: string, max: number): number {
  let marks = 0;
  for (let at = 0; at < text.length && marks <= max; at += 1) {
    if (isMark(text.charCodeAt(at))) marks += 1;
  }
  return marks;
}

function isMark(code: number): boolean {
  switch (code) {
    case 0x0a: // line feed
    case 0x0d: // carriage return
    case 0x2c: // ,
    case 0x2d: // -
    case 0x3a: // :
    case 0x3f: // ?
    case 0x5b: // [
    case 0x7b: // {
      return true;
    default:
      return false;
  }
}
