/** A shorter part occurs in normal sentences. */
const partCharsMin = 4;
/** An address has fewer parts. Of a longer text, only the first parts are searched for. */
const partsMax = 20;

/**
 * The parts of a secret that a message about an address may quote: host, user name and words of the
 * path, each also in the form of URL parsers. A mask of whole values does not find them.
 */
export function listAddressParts(secret: string): string[] {
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

/** The host in lower case and ASCII; an IP address in its usual notation. */
function findHosts(text: string): string[] {
  const addresses = [text, `http://${text}`].filter((address) => URL.canParse(address));
  return addresses.map((address) => new URL(address).hostname.replace(/^\[|\]$/g, ""));
}
