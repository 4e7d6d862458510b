import type { Lookup, Platform } from '../../src/ports/platform.ts';

/** One call that a delivery made, with all it was given but the signal. */
export type Call = readonly [
  operation: 'find' | 'create' | 'update' | 'remove' | 'upload' | 'lead' | 'unlead',
  ...given: unknown[],
];

export interface ScriptedPlatform {
  readonly platform: Platform;
  /** Every call, in order. */
  readonly calls: readonly Call[];
}

/** What the platform does at a write, after the call is noted: returns, or throws. */
export type Act = (call: Call) => Promise<void> | void;

/** A platform of the port alone: it notes each call, acts as the test says, and finds what `lookup` says. */
export function scriptedPlatform(act: Act = () => {}, lookup?: Lookup): ScriptedPlatform {
  const calls: Call[] = [];
  const note = async (...call: Call) => {
    calls.push(call);
    if (call[0] !== 'find') await act(call);
  };
  const unexpected = (operation: string) => new Error(`a delivery calls no ${operation}`);
  const platform: Platform = {
    // biome-ignore lint/correctness/useYield: a scan is never part of a delivery.
    async *scan() {
      throw unexpected('scan');
    },
    scanCost: () => undefined,
    status: () => Promise.reject(unexpected('status')),
    async find(identification) {
      await note('find', identification);
      return lookup ?? { found: false };
    },
    async create(write) {
      await note('create', write);
      return { userId: 'new' };
    },
    update: (target, write) => note('update', target, write),
    rename: () => Promise.reject(unexpected('rename')),
    leaders: () => Promise.reject(unexpected('leaders')),
    lead: (identification, leaders) => note('lead', identification, leaders),
    unlead: (identification, leaders) => note('unlead', identification, leaders),
    remove: (identification, options) => note('remove', identification, options),
    async upload(file) {
      await note('upload', file);
      return { fileId: '17', status: { kind: 'pending', text: 'Processing', isKnown: true } };
    },
  };
  return { platform, calls };
}
