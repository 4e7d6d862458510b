import { onTestFinished } from 'vitest';
import { openSourceTokens } from '../../../src/main/engine.ts';
import { openSeal } from '../../../src/platform/tokens/seal.ts';
import { noMetrics } from '../../../src/ports/metrics.ts';
import type { SourceBase } from '../../../src/ports/source.ts';
import { openStore } from '../../../src/store/index.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { sourceBase } from '../../support/source-base.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What a source of a page is opened with: also a token manager on a real store, for tokens that rotate. */
export async function pageBase(folder: string): Promise<SourceBase> {
  const store = await openStore('sqlite:store.db', { folder: await temporaryFolder() });
  onTestFinished(() => store.close());
  const parts = {
    store,
    seal: openSeal(Buffer.alloc(32, 7).toString('base64')),
    clock: new FastClock(Date.UTC(2026, 10, 21, 12)),
    logger: memoryLogger(),
    mayPresentSeed: true,
    metrics: noMetrics,
  };
  const scratchFolder = await temporaryFolder();
  return sourceBase(folder, { scratchFolder, openTokens: (grant) => openSourceTokens('people', grant, parts) });
}
