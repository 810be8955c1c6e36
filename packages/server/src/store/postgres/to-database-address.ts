/** The address of a database without its user and password, for messages. */
export function toDatabaseAddress(url: string): string {
  const { host, port, pathname } = new URL(url);
  return `${port === "" ? `${host}:5432` : host}${decodeURIComponent(pathname)}`;
}
