/**
 * Texts of several entries, which are compressed together once they are long. For texts that are many and
 * rarely read: similar texts, such as JSON Schemas, take a seventh of their size.
 */
export class PackedTexts {
  #texts: string[][] | null = [];
  #packed: Uint8Array | null = null;
  /** What was read last, until the next collection of garbage: neighbours are often read together. */
  #unpacked: WeakRef<string[][]> | null = null;
  #chars = 0;

  /** Adds an entry and returns its index. Not possible after `pack`. */
  add(texts: string[]): number {
    if (this.#texts === null) throw new Error("The texts are packed already");
    for (const { length } of texts) this.#chars += length;
    return this.#texts.push(texts) - 1;
  }

  /** Whether `pack` is worth it. Reading an entry then takes 0.1 ms. */
  isFull(): boolean {
    return this.#chars >= packedCharsMin;
  }

  pack(): void {
    this.#packed = Bun.zstdCompressSync(JSON.stringify(this.#texts), { level: 1 });
    this.#texts = null;
  }

  read(index: number): readonly string[] {
    const texts = this.#texts ?? this.#unpacked?.deref() ?? this.#unpack();
    const found = texts[index];
    if (found === undefined) throw new Error("There is no such entry");
    return found;
  }

  #unpack(): string[][] {
    if (this.#packed === null) throw new Error("There is nothing to unpack");
    // Written by `pack`.
    const texts = JSON.parse(
      Buffer.from(Bun.zstdDecompressSync(this.#packed)).toString(),
    ) as string[][];
    this.#unpacked = new WeakRef(texts);
    return texts;
  }
}

const packedCharsMin = 32 * 1024;
