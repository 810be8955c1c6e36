/** The half of a query whose set is made by a script: random, and the same on every machine. */
export function chooseHalf(query: string): "tune" | "held" {
  const hash = new Bun.CryptoHasher("sha256").update(query).digest();
  return (hash[0] ?? 0) % 2 === 0 ? "tune" : "held";
}
