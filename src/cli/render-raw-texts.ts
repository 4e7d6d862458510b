import { formatInstant } from '../core/run/instant.ts';
import type { RawText } from '../ports/store.ts';
import { cleanLine } from './terminal-text.ts';

/** Renders what other systems sent during a run. It may hold personal data. */
export function renderRawTexts(texts: readonly RawText[]): string {
  if (texts.length === 0) {
    return '\nNo raw answers of other systems are stored for this run. They are stored only with encryptionKey, and only as long as the details of the run.';
  }
  const lines = texts.map(({ at, about, text }) => `  ${formatInstant(at)} ${cleanLine(about)}: ${cleanLine(text)}`);
  return ['\nreceived from other systems (may contain personal data):', ...lines].join('\n');
}
