/** The id of a row by its place: the same in each run, because the tokens of an id depend on its characters. */
export function toRowId(place: number): string {
  const hex = new Bun.CryptoHasher("sha256").update(`row ${place}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
