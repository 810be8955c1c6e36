const elfMachines: Record<number, string> = { 62: "x64", 183: "arm64" };
const machCpus: Record<number, string> = { 16777223: "x64", 16777228: "arm64" };
const peMachines: Record<number, string> = { 34404: "x64", 43620: "arm64" };

/** Reads the system and the processor from the header of a program (ELF, Mach-O or PE), or returns null. */
export function readPlatform(head: Uint8Array): string | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < 64) return null;
  if (view.getUint32(0) === 0x7f454c46)
    return toName("linux", elfMachines[view.getUint16(18, true)]);
  if (view.getUint32(0, true) === 0xfeedfacf) {
    return toName("darwin", machCpus[view.getUint32(4, true)]);
  }
  const start = view.getUint32(60, true);
  const isWindows = view.getUint16(0) === 0x4d5a && start + 6 <= head.length;
  if (!isWindows || view.getUint32(start) !== 0x50450000) return null;
  return toName("windows", peMachines[view.getUint16(start + 4, true)]);
}

function toName(system: string, processor: string | undefined): string | null {
  return processor === undefined ? null : `${system}-${processor}`;
}
