import { Socket } from 'node:net';

/** Sockets of this process that are connected to a port of this machine. */
export function openSocketsTo(port: number): number {
  const handles = (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();
  return handles.filter((one) => one instanceof Socket && one.remotePort === port && !one.destroyed).length;
}
