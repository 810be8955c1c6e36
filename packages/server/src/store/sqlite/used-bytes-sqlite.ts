import type { Database } from "bun:sqlite";

/** Reads the header of the database file, which costs the same at any size. */
export function createUsedBytesRead(reader: Database): () => Promise<number> {
  const read = reader.prepare<{ bytes: number }, []>(`
    select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count, pragma_freelist_count, pragma_page_size`);
  return async () => read.get()?.bytes ?? 0;
}
