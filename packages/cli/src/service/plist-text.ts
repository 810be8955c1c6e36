/** A job of launchd. Its output goes to a file, since launchd keeps none. */
export function toPlistText({
  label,
  command,
  env,
  logFile,
}: {
  label: string;
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  logFile: string;
}): string {
  const words = command.map((word) => `    <string>${escapeXml(word)}</string>`);
  const variables = Object.entries(env).map(
    ([name, value]) => `    <key>${escapeXml(name)}</key><string>${escapeXml(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${writtenBy} -->
<plist version="1.0">
<dict>
  <key>Label</key><string>${escapeXml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${escapeXml(logFile)}</string>
  <key>StandardErrorPath</key><string>${escapeXml(logFile)}</string>
</dict>
</plist>
`;
}

/** A file without it was written by somebody else, and is left alone. */
export const writtenBy = "Written by hub service install.";

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
