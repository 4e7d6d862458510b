import { parseArgs } from 'node:util';
import { lintFiles, proseFiles } from './lint-prose.ts';

/**
 * Checks the English of pages, messages and comments (docs/decisions/018). Without arguments it reads all files. Prints
 * each offence with its place, and fails when there is one.
 */
const root = new URL('../../', import.meta.url).pathname;
const { positionals } = parseArgs({ allowPositionals: true });
const found = await lintFiles(root, positionals.length > 0 ? positionals : proseFiles(root));
const lines = found.map(({ path, line, rule, message }) => `${path}:${line} ${rule}: ${message}`);
process.stdout.write(`${[...lines, `prose: ${found.length} offences`].join('\n')}\n`);
if (found.length > 0) process.exitCode = 1;
