import { formatInstant } from '../core/instant.ts';
import type { RawText } from '../ports/store.ts';
import { cleanLine } from './terminal-text.ts';

/** Renders what other systems sent during a run. It may hold personal data. */
export function renderRawTexts(texts: readonly RawText[]): string {
  if (texts.length === 0) {
    return '\nNo text of another system is kept for this run. They are kept only with encryptionKey, and while the run has its details.';
  }
  const lines = texts.map(({ at, about, text }) => `  ${formatInstant(at)} ${cleanLine(about)}: ${cleanLine(text)}`);
  return ['\nreceived from other systems (may hold personal data):', ...lines].join('\n');
}
