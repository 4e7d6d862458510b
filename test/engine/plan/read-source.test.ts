import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { EngineIo, Sync } from '../../../src/engine/engine-io.ts';
import { PeopleIndex } from '../../../src/engine/plan/people-index.ts';
import { readSource } from '../../../src/engine/plan/read-source.ts';
import type { Source } from '../../../src/ports/source.ts';
import { openFileSpool } from '../../../src/store/file-spool.ts';
import { fixedClock, someInstant } from '../../support/fake-clock.ts';
import { silentLogger } from '../../support/memory-logger.ts';
import { compilePlainMapping, plainSettings } from '../plan-in-memory.ts';

it('a read that cannot be kept is ended, so that its source closes what it has open', async () => {
  let isOpen = false;
  const source: Source = {
    kind: 'memory',
    capabilities: { delta: false, point: false, terminated: 'unknown', future: 'unknown' },
    async *read() {
      isOpen = true;
      try {
        yield {
          records: [{ at: 'row 1', fields: { id: '1', first: 'Ana', last: 'Li', status: 'active' } }],
          broken: [],
        };
        return { complete: true, rows: 1, evidence: 'the end', stamp: '1' };
      } finally {
        isOpen = false;
      }
    },
    fields: async () => undefined,
  };
  const spool = openFileSpool(tmpdir());
  const full = (): never => {
    throw new Error('ENOSPC: no space left on device');
  };
  const mapping = compilePlainMapping(plainSettings);
  const index = new PeopleIndex({ ...spool, append: full, close: () => spool.close() }, mapping.fields);
  const sync = { settings: plainSettings, mapping, source } as Sync;
  const io = { clock: fixedClock(someInstant), logger: silentLogger, progress: full } as unknown as EngineIo;
  const { signal } = new AbortController();

  try {
    const job = {
      sync,
      reading: { kind: 'full' },
      previous: undefined,
      focus: undefined,
      runAt: undefined,
      blocked: undefined,
      onRecord: undefined,
      index,
      signal,
      find: () => {},
    } as const;
    await expect(readSource(job, io)).rejects.toThrow('ENOSPC');
    expect(isOpen).toBe(false);
  } finally {
    spool.close();
  }
});
