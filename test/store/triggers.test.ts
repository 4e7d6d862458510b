import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OwnedRun, RunScope } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { endRun, hourMs, sampleTrigger } from '../contracts/store-samples.ts';
import { drawRuns } from '../support/drawn.ts';

type Step =
  | { readonly kind: 'ask'; readonly key: number; readonly scope: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'end' };

const scopes: readonly RunScope[] = [
  { kind: 'all' },
  { kind: 'users', identifications: ['ana'] },
  { kind: 'users', identifications: ['ana', 'eva'] },
];

/** Requests for named people are joined; one about everybody is never joined with them. */
function isAbout(run: RunScope | undefined, asked: RunScope): boolean {
  if (run?.kind !== 'users' || asked.kind !== 'users') return run?.kind === asked.kind;
  return asked.identifications.every((name) => run.identifications.includes(name));
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), key: fc.nat(15), scope: fc.nat(scopes.length - 1) }),
    fc.constant<Step>({ kind: 'open' }),
    fc.constant<Step>({ kind: 'end' }),
  ),
  { minLength: 5, maxLength: 40 },
);

it('whatever order triggers, runs and ends come in, each trigger is taken by one run about its people that began after it', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      const store = await openStore('sqlite::memory:', { folder: '.' });
      const asked = new Map<number, { id: string; scope: RunScope; at: number }>();
      let owned: OwnedRun | undefined;
      let now = 0;
      const open = async (): Promise<boolean> => {
        const opened = await store.runs.open('people', { id: `run_${now}`, connection: 'acme', now });
        expect(opened?.isNew ?? false).toBe(owned === undefined && opened !== undefined);
        if (opened?.isNew !== true) return false;
        const lease = await store.leases.take(`run:${opened.run.id}`, 'one', hourMs, now);
        if (lease === undefined) throw new Error('a new run has a free lease');
        owned = { run: opened.run, lease };
        return true;
      };
      const end = async (): Promise<void> => {
        if (owned !== undefined) await endRun(store, owned, now);
        owned = undefined;
      };
      for (const step of story) {
        now += 1;
        if (step.kind === 'open') await open();
        else if (step.kind === 'end') await end();
        else {
          const scope = scopes[step.scope] ?? { kind: 'all' };
          const id = `trigger_${now}`;
          const isNew = await store.triggers.add(
            sampleTrigger(id, { key: `key ${step.key}`, scope, requestedAt: now }),
          );
          expect(isNew).toBe(!asked.has(step.key));
          if (isNew) asked.set(step.key, { id, scope, at: now });
        }
        expect((await store.runs.unfinished()).map(({ id }) => id)).toEqual(owned === undefined ? [] : [owned.run.id]);
      }
      do {
        await end();
        now += 1;
      } while (await open());
      for (const { id, scope, at } of asked.values()) {
        const state = await store.triggers.state(id);
        const run = state?.kind === 'taken' ? await store.runs.get(state.run) : undefined;
        expect(isAbout(run?.scope, scope)).toBe(true);
        expect(run?.startedAt).toBeGreaterThanOrEqual(at);
      }
      await store.close();
    }),
    { numRuns: drawRuns(60) },
  );
});
