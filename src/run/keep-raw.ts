import type { OwnedRun } from '../ports/store.ts';
import type { EngineIo } from './engine-io.ts';

/**
 * Keeps a raw answer of another system beside the run, sealed, for operators who may read it. Never fails the run: an
 * error of the store is logged, because the text only explains what is reported elsewhere.
 */
export async function keepRaw(
  owned: OwnedRun,
  { about, text }: { readonly about: string; readonly text: string | undefined },
  { store, clock, logger }: Pick<EngineIo, 'store' | 'clock' | 'logger'>,
): Promise<void> {
  if (text === undefined || text === '') return;
  try {
    await store.rawTexts.add(owned, { at: clock.now(), about, text });
  } catch {
    logger.warn(
      { run: owned.run.id, about: 'raw text' },
      'a raw answer of another system could not be stored with the run',
    );
  }
}
