import type { SourceBase } from '../../src/ports/source.ts';

/** What a source is opened with, for tests that need no rotating token. */
export function sourceBase(folder: string, more: Partial<SourceBase> = {}): SourceBase {
  return {
    folder,
    scratchFolder: folder,
    openTokens: () => {
      throw new Error('this test has no token manager');
    },
    ...more,
  };
}
