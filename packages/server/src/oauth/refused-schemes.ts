/**
 * Schemes that no app may receive codes by, in lower case: what a browser or the system interprets itself, and what a
 * web site may register for (`safelisted schemes` of the HTML standard). A code there would run, open a file or a
 * dialog, or reach a site, but the consent page would name an app.
 */
const refused = new Set([
  // Run as a script or read as a document.
  ...["javascript", "vbscript", "livescript", "mocha", "jscript", "data", "blob", "file"],
  ...["filesystem", "view-source", "about", "jar", "resource", "res", "mhtml", "mk", "its"],
  ...["wyciwyg", "feed", "pcast", "cid", "mid", "content", "urn", "tag", "did"],
  // Protocols of networks.
  ...["http", "https", "ftp", "ftps", "sftp", "tftp", "ws", "wss", "ssh", "telnet", "rlogin"],
  ...["gopher", "ldap", "ldaps", "nfs", "smb", "cifs", "afp", "dav", "davs", "dict", "git", "svn"],
  ...["imap", "imaps", "pop", "smtp", "rdp", "vnc", "rtsp", "rtmp", "mms", "magnet", "ed2k"],
  // Messages, calls and places.
  ...[
    "mailto",
    "tel",
    "callto",
    "sms",
    "smsto",
    "sip",
    "sips",
    "xmpp",
    "im",
    "irc",
    "irc6",
    "ircs",
  ],
  ...["matrix", "news", "nntp", "snews", "facetime", "facetime-audio", "geo", "maps", "webcal"],
  // Further ones that a site may register for.
  ...["bitcoin", "bitcoincash", "ethereum", "openpgp4fpr", "wtai", "cabal", "dat", "dweb", "hyper"],
  ...["ipfs", "ipns", "ssb"],
  // Parts of a browser or of the system.
  ...[
    "intent",
    "android-app",
    "market",
    "devtools",
    "edge",
    "brave",
    "opera",
    "vivaldi",
    "firefox",
  ],
  ...["microsoft-edge", "googlechrome", "googlechromes", "search", "search-ms", "shell", "hcp"],
  // What a parser reads in an address without a scheme, such as localhost:3000/callback.
  "localhost",
  ...["help", "applescript", "x-man-page", "prefs", "app-prefs", "windowsdefender", "settings"],
]);

/** Beginnings of such schemes. `web+` is for sites, and `ext+` for extensions of a browser. */
const refusedBeginnings = ["chrome", "ms-", "moz-", "safari-", "itms", "web+", "ext+", "x-apple"];

/** Whether a scheme without its colon, in lower case, is not an app's own. */
export function isRefusedScheme(scheme: string): boolean {
  return refused.has(scheme) || refusedBeginnings.some((start) => scheme.startsWith(start));
}
