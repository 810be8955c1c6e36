type CurlFacts = {
  url: string;
  method: string;
  /** The name of the secret, never its value. */
  secret: string | undefined;
  signatureHeader: string;
  windowS: number | undefined;
};

const bodyless = new Set(["GET", "DELETE"]);

/**
 * Shell commands that send a request to a webhook, signed with the value of the variable SECRET. For sh
 * with curl and OpenSSL.
 */
export function toCurl({ url, method, secret, signatureHeader, windowS }: CurlFacts): string {
  const hasBody = !bodyless.has(method);
  const headers = hasBody ? ['-H "Content-Type: application/json"'] : [];
  const before = hasBody ? [`BODY='{"hello":"world"}'`] : [];
  if (secret !== undefined) {
    // The name in a draft can be any text, also one that would be a command.
    const name = /^\w+$/.test(secret) ? secret : "the secret";
    before.unshift(`# First: SECRET='the value of ${name}'`);
    if (!hasBody) before.push("BODY=");
    headers.push(`-H "${signatureHeader}: sha256=$(${sign("'%s' \"$BODY\"")})"`);
    if (windowS !== undefined) {
      before.push("NOW=$(date +%s)");
      headers.push('-H "X-Hub-Timestamp: $NOW"');
      headers.push(`-H "X-Hub-Sig-Timestamped: sha256=$(${sign('\'%s.%s\' "$NOW" "$BODY"')})"`);
    }
  }
  const parts = [`curl -sS -X ${method} ${quote(url)}`, ...headers];
  if (hasBody) parts.push('--data-binary "$BODY"');
  return [...before, parts.join(" \\\n  ")].join("\n");
}

/** OpenSSL prints the digest and, with -r, a name after it. */
function sign(text: string): string {
  return `printf ${text} | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
