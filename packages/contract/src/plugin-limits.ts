/** The largest archive of a plugin that is downloaded or uploaded, in bytes. */
export const pluginArchiveBytesMax = 512 * 1024 * 1024;
