export function toWireKey(_name: string): string {
  throw new Error("Not written yet.");
}

export function isWireKey(_text: string): boolean {
  throw new Error("Not written yet.");
}
