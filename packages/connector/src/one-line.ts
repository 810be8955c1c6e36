export function oneLine(_description: string): string {
  throw new Error("Not written yet.");
}
