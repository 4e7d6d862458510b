import { readFile, writeFile } from 'node:fs/promises';
import { runOddAnswers } from './odd-answers.ts';
import { withOddAnswers } from './odd-answers-page.ts';

// Writes the tables of docs/tokens.md: `npm run docs`.
const page = new URL('../../../docs/tokens.md', import.meta.url);
await writeFile(page, withOddAnswers(await readFile(page, 'utf8'), await runOddAnswers()));
