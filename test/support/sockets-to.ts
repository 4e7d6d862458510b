import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Sockets of this process that lead to a port of 127.0.0.1, as Linux shows them; those of a server there are not among them. */
export function socketsTo(port: number): number {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = readFileSync('/proc/self/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[2] === remote)
    .map((columns) => `socket:[${columns[9]}]`);
  return readdirSync('/proc/self/fd').filter((handle) => inodes.includes(linkOf(handle))).length;
}

/** Handles of this process on files of the folder, those without a name too, as Linux shows them. */
export function filesOpenIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((handle) => linkOf(handle).startsWith(folder)).length;
}

/** What lies on the disk of these files, those without a name too. */
export function bytesOpenIn(folder: string): Buffer {
  const handles = readdirSync('/proc/self/fd').filter((handle) => linkOf(handle).startsWith(folder));
  return Buffer.concat(handles.map((handle) => readFileSync(`/proc/self/fd/${handle}`)));
}

function linkOf(handle: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return '';
  }
}
