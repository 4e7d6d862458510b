import type { Texts } from './en.ts';
import { changes, holds } from './es/holds.ts';
import { overview } from './es/overview.ts';
import { mapping, people, previews } from './es/people.ts';
import { runs } from './es/runs.ts';
import { shell } from './es/shell.ts';
import { watch } from './es/watch.ts';
import { words } from './es/words.ts';

export const es: Texts = { ...shell, words, overview, runs, holds, changes, people, previews, mapping, ...watch };
