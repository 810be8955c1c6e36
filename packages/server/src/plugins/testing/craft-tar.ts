import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";

export type TarMember = { header: Partial<Header> & { name: string }; content?: string };

/** A .tar.gz file of these members. */
export async function craftTar(members: readonly TarMember[]): Promise<Uint8Array> {
  const archive = pack();
  for (const { header, content = "" } of members) archive.entry(header, content);
  archive.finalize();
  return gzipSync(await buffer(archive));
}
