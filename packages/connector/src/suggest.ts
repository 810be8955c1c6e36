export function findNearest(_text: string, _candidates: Iterable<string>): string | null {
  throw new Error("Not written yet.");
}

export function suggest(_text: string, _candidates: Iterable<string>): string {
  throw new Error("Not written yet.");
}
