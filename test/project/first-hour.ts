import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../../src/sandbox/index.ts';
import { compareProposal, hrExports } from '../support/exports.ts';

// `npm run first-hour`: the path of a stranger with the packed package and exports of many systems. Prints the time of each
// step, the commands until the first plan, and the share of fields that `init --from` chose right.

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const place = await mkdtemp(join(tmpdir(), 'rollcall-first-hour-'));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  say(`${what.padEnd(44)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

try {
  await timed('npm pack', () => run('npm', ['pack', '--silent', '--pack-destination', place], { cwd: root }));
  const [tarball = ''] = (await readdir(place)).filter((name) => name.endsWith('.tgz'));
  const prefix = join(place, 'prefix');
  await timed('npm install --global', () =>
    run('npm', ['install', '--global', '--silent', '--prefix', prefix, join(place, tarball)], { cwd: place }),
  );
  const began = performance.now();
  for (const one of hrExports()) {
    const folder = join(place, one.name.replace(/\W+/g, '-'));
    await mkdir(folder);
    await writeFile(join(folder, one.file), one.bytes);
    const sandbox = await startSandbox({ now: () => Date.now(), people: one.users });
    const env = { ...process.env, ROLLCALL_ACCESS_TOKEN: sandbox.accessToken };
    const commands = [['init', '--from', one.file, '--connection', sandbox.url], ['check'], ['plan', 'people']];
    await timed(`${one.name}: ${commands.length} commands`, async () => {
      for (const words of commands) {
        const { code } = await run(join(prefix, 'bin/rollcall'), words, { cwd: folder, env }).then(
          () => ({ code: 0 }),
          (error: { readonly code?: number }) => ({ code: error.code }),
        );
        // 3: what a guard would hold. 4: a row that cannot be read.
        if (![0, 3, 4].includes(code as number)) throw new Error(`rollcall ${words.join(' ')} ended with ${code}`);
      }
    });
    const text = await readFile(join(folder, 'rollcall.yaml'), 'utf8');
    const { wrong, share } = compareProposal(text, one);
    const silent = wrong.filter((key) => !new RegExp(`^.*\\b${key}\\b.*UNSURE`, 'm').test(text));
    say(
      `  ${Math.round(share * 100)} % of the fields right; wrong: ${wrong.join(', ') || 'none'}; wrong and not flagged: ${silent.length}`,
    );
    await sandbox.close();
  }
  say(
    `${hrExports().length} first plans after the installation: ${((performance.now() - began) / 60_000).toFixed(1)} min`,
  );
} finally {
  await rm(place, { recursive: true, force: true });
}
