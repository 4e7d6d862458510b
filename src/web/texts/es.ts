import type { Texts } from './en.ts';
import { changes, holds, overview, recent } from './es/overview.ts';
import { accounts, mapping, people, previews, runs } from './es/people.ts';
import { reasonInSpanish } from './es/reasons.ts';
import { shell, watch } from './es/shell.ts';
import { words } from './es/words.ts';

export const es: Texts = {
  ...shell,
  words,
  overview,
  runs,
  holds,
  changes,
  recent,
  people,
  accounts,
  previews,
  mapping,
  ...watch,
  reason: reasonInSpanish,
};
