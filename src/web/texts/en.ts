import { changes, holds, overview, recent } from './en/overview.ts';
import { accounts, mapping, people, previews, runs } from './en/people.ts';
import { shell, watch } from './en/shell.ts';
import { words } from './en/words.ts';

/** All texts of the page in English. Another language has the same keys. */
export const en = {
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
  reason,
};

/** Returns a reason of the server in the language of the page. */
function reason(text: string): string {
  return text;
}

export type Texts = typeof en;
