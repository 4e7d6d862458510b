import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

/** Writes the name of each package to stderr when the first module of it is loaded. */
const tracer = `
  import { registerHooks } from 'node:module';
  const seen = new Set();
  registerHooks({ load(url, context, next) {
    const name = /.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(url)?.[1];
    if (name !== undefined && !seen.has(name)) { seen.add(name); process.stderr.write('loaded ' + name + '\\n'); }
    return next(url, context);
  } });`;

/** The packages that a command line of Node.js loads. */
async function loadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(tracer)}`;
  const { stderr } = await run(process.execPath, ['--import', hook, ...words], { cwd: root });
  return [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, name]) => name ?? '');
}

const load = (path: string) => loadedBy('--input-type=module', '--eval', `await import('./${path}')`);

/** What most kinds need: a new name here costs every command. */
const ofMostKinds = ['ky', 'p-queue', 'undici', 'yaml', 'zod'];
/** What one kind of source needs, and no other. */
const ofOneKind = [
  'aws4fetch',
  'better-sqlite3',
  'fast-xml-parser',
  'mysql2',
  'pg',
  'ssh2',
  'ssh2-sftp-client',
  'stream-json',
  'yauzl',
];

it('the table of source kinds loads no package that only some of them need', async () => {
  const loaded = await load('src/sources/registry.ts');
  expect(loaded).toContain('zod');
  expect(loaded.filter((name) => !ofMostKinds.includes(name))).toEqual([]);
});

it('would be seen loading one', async () => {
  expect(await load('src/sources/csv/places/sftp-session.ts')).toEqual(
    expect.arrayContaining(['ssh2-sftp-client', 'ssh2']),
  );
  expect(await load('src/drivers/sql/mysql.ts')).toContain('mysql2');
});

it.each(['--version', '--help'])(
  'rollcall %s loads nothing that reads, stores, sends, serves or queues',
  async (word) => {
    const loaded = await loadedBy('src/main/cli.ts', word);
    expect(loaded).toContain('commander');
    const others = [
      'bullmq',
      'csv-parse',
      'fastify',
      'ioredis',
      'jsonata',
      'kysely',
      'ky',
      'nodemailer',
      'pino',
      'undici',
    ];
    expect(loaded.filter((name) => [...ofOneKind, ...others].includes(name))).toEqual([]);
  },
);
