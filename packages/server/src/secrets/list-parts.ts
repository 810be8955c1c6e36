/** A part of fewer characters says nothing, and would be found in any sentence. */
const partCharsMin = 4;
/** An address has fewer; of a text with more of them the first are looked for. */
const partsMax = 20;

/**
 * What a message about an address could quote of a secret that it was made of: host, user name, a
 * word of the path, each also as URL parsers write it. A mask of whole values finds none of them.
 */
export function listParts(secret: string): string[] {
  const words = secret
    .split(/[\s/\\?#@&=:,;"'<>()[\]{}|]+/)
    .filter(isPart)
    .slice(0, partsMax);
  const hosts = [secret, ...words].flatMap(findHosts);
  return [...new Set([...words, ...hosts])].filter(isPart);
}

function isPart(text: string): boolean {
  return text.length >= partCharsMin && !/^https?$/i.test(text);
}

/** A name in lower case and in ASCII, an address in its usual notation. */
function findHosts(text: string): string[] {
  const addresses = [text, `http://${text}`].filter((address) => URL.canParse(address));
  return addresses.map((address) => new URL(address).hostname.replace(/^\[|\]$/g, ""));
}
