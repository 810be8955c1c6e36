/** What the value token of `basicAuth` opens to: the credentials of RFC 7617, without the scheme. */
export function toBasicCredentials(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`, "utf8").toString("base64");
}
