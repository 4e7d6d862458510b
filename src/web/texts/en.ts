import { changes, holds } from './en/holds.ts';
import { overview } from './en/overview.ts';
import { mapping, people, previews } from './en/people.ts';
import { runs } from './en/runs.ts';
import { shell } from './en/shell.ts';
import { watch } from './en/watch.ts';
import { words } from './en/words.ts';

/** All texts of the page in English. Another language has the same keys. */
export const en = { ...shell, words, overview, runs, holds, changes, people, previews, mapping, ...watch };

export type Texts = typeof en;
