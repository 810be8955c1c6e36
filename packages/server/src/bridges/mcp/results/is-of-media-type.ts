/** What the content of a media type begins with, in hexadecimal digits. A dot stands for any digit. */
const beginnings: Record<string, RegExp> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^47494638(37|39)61/,
  "image/webp": /^52494646.{8}57454250/,
  "audio/wav": /^52494646.{8}57415645/,
  "audio/ogg": /^4f676753/,
  "audio/flac": /^664c6143/,
};

const beginningBytesMax = 16;

/** False if the content is certainly not of the media type. Most types have no beginning of their own. */
export function isOfMediaType(content: Uint8Array, mediaType: string): boolean {
  const name = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  const beginning = Object.hasOwn(beginnings, name) ? beginnings[name] : undefined;
  if (beginning === undefined) return true;
  return beginning.test(content.subarray(0, beginningBytesMax).toHex());
}
