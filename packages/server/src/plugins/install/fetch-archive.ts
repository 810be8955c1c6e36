import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { HubError } from "../../errors.ts";
import { type GetDeps, getGuarded, toDownloadError } from "../catalog/guarded-get.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import type { InstallLimits } from "./install-limits.ts";

type Download = {
  plugin: string;
  url: URL;
  /** The URL whose host may have a private address. */
  named: URL;
  /** In hex; null if the catalog does not give it. */
  sha256: string | null;
  path: string;
  insecure: boolean;
  onPercent(percent: number | undefined): void;
  signal?: AbortSignal;
};

/** Downloads an archive to a file. Throws `plugin_refused` or `upstream_error`. */
export async function fetchArchive(
  deps: GetDeps,
  limits: InstallLimits,
  download: Download,
): Promise<void> {
  const { plugin, url, onPercent, insecure, signal } = download;
  const response = await getGuarded(deps, {
    url,
    named: download.named,
    plugin,
    insecure,
    timeoutMs: limits.downloadMsMax,
    bodyBytesMax: limits.archiveBytesMax,
    ...(signal !== undefined && { signal }),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new HubError(
      "upstream_error",
      `${url.host} answered ${response.status} for ${url.href}.`,
      {
        detail: { http_status: response.status },
      },
    );
  }
  const bytesTotal = Number(response.headers.get("content-length") ?? 0);
  const hash = createHash("sha256");
  let bytesRead = 0;
  const file = await open(download.path, "wx", 0o600);
  onPercent(bytesTotal > 0 ? 0 : undefined);
  try {
    for await (const chunk of response.body) {
      hash.update(chunk);
      await file.write(chunk);
      bytesRead += chunk.byteLength;
      onPercent(bytesTotal > 0 ? Math.min(100, (bytesRead * 100) / bytesTotal) : undefined);
    }
  } catch (thrown) {
    throw toDownloadError(plugin, thrown);
  } finally {
    await file.close();
  }
  if (download.sha256 !== null) checkArchiveHash(plugin, download.sha256, hash.digest("hex"));
}

/** Checks that the archive is the one in the catalog. */
export function checkArchiveHash(plugin: string, expected: string, found: string): void {
  if (expected === found) return;
  throw refusePlugin({
    plugin,
    check: "download",
    expected: `an archive with the SHA-256 ${expected} from the catalog`,
    found,
    remedy: "Try again later. If it happens again, report it to the publisher of the catalog.",
  });
}
