import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const script = resolve('docs/verify-report.mjs');

interface SealedLine {
  readonly kind: string;
  readonly identification?: string;
  readonly account?: string;
  readonly left?: readonly object[];
}

/** Five people of whom one left, an account that nobody knows, and the sealed report. */
async function sealReport() {
  const shell = await openConnectedShell(['1,Ana,Sales', '2,Bo,Sales', '3,Cy,Law', '4,Di,Law', '5,Ed,IT']);
  const path = join(shell.folder, 'rollcall.yaml');
  await writeFile(path, `encryptionKey: "${Buffer.alloc(32, 3).toString('base64')}"\n${await readFile(path, 'utf8')}`);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  shell.sandbox.state.patchUser('guest', { enabled: true, fields: { firstName: 'G', lastName: 'H', email: '' } });
  await writePeople(shell, ['1,Ana,Sales', '2,Bo,Sales,terminated', '3,Cy,Law', '4,Di,Law', '5,Ed,IT']);
  expect((await shell.run(['apply', 'people'])).code).toBe(0);
  const refused = await shell.run(['report', 'leavers', '--sealed', 'report.jsonl']);
  expect(refused.stderr).toContain('run "rollcall admin keys signing" first');
  const { keys } = (await shell.run(['admin', 'keys', 'signing', '--json'])).json<{ keys: { public: string }[] }>();
  expect((await shell.run(['report', 'leavers', '--sealed', 'report.jsonl'])).code).toBe(0);
  const report = join(shell.folder, 'report.jsonl');
  const lines = (await readFile(report, 'utf8')).trimEnd().split('\n');
  const verify = async (changed: readonly string[] = lines) => {
    await writeFile(report, `${changed.join('\n')}\n`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, report, keys[0]?.public ?? '']);
    return { status, said: `${stdout}${stderr}` };
  };
  return { shell, lines, verify };
}

/** Seals lines as Rollcall does, with the key of somebody else. */
function sealAgain(lines: readonly string[]): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { signature: _, ...seal } = JSON.parse(lines.at(-1) ?? '');
  const hashes = lines.slice(0, -1).map(sha256);
  const head = hashes.reduce((before, hash) => sha256(before + hash), '');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const forged = { ...seal, hashes, head, public: spki };
  const signature = sign(null, Buffer.from(JSON.stringify(forged)), privateKey).toString('base64');
  return JSON.stringify({ ...forged, signature });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

it('a sealed report has every person and account once with the evidence, and the script finds each forgery', async () => {
  const { shell, lines, verify } = await sealReport();
  const rows = lines.map((line) => JSON.parse(line) as SealedLine);
  const of = (id: string) => rows.filter(({ identification }) => identification === id);
  expect(of('2')).toEqual([
    {
      ...{ kind: 'person', sync: 'people', connection: 'acme', identification: '2', name: 'Bo Test', hr: 'leaver' },
      ...{ account: 'disabled', owner: 'people', disabledByUsAt: expect.any(String), decided: [] },
      left: [
        expect.objectContaining({
          ...{ change: 'disable', state: 'applied', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
          ...{ saidAt: expect.any(String), shownAt: expect.any(String), sentAs: expect.stringMatching(/^file ./) },
        }),
      ],
      clocks: [
        expect.objectContaining({ clockAt: expect.any(String), seenAt: expect.any(String), ending: 'disabled' }),
      ],
    },
  ]);
  expect(of('1')).toMatchObject([{ hr: 'active', account: 'enabled', left: [] }]);
  expect(of('guest')).toMatchObject([{ hr: 'not in HR', account: 'enabled' }]);
  expect(rows.filter(({ kind }) => kind === 'person').map(({ identification }) => identification)).toHaveLength(6);
  expect(await verify()).toMatchObject({
    status: 0,
    said: expect.stringContaining('"rows":6,"accounts":6,"leavers":1'),
  });

  const at = rows.findIndex(({ identification }) => identification === '2');
  const audit = rows.findIndex(({ kind }) => kind === 'audit');
  const other = rows.findIndex(({ identification }) => identification === '1');
  const end = lines.length - 1;
  const edit = (index: number, from: string | RegExp, to: string) =>
    lines.with(index, lines[index]?.replace(from, to) ?? '');
  const swapped = lines.with(at, lines[other] ?? '').with(other, lines[at] ?? '');
  const resealed = edit(at, '"disabled"', '"enabled"');
  const forgeries: readonly (readonly [string, readonly string[], string])[] = [
    ['a cell changed', edit(at, 'Bo Test', 'Bo Best'), `line ${at + 1}: was changed or added`],
    ['a row removed', lines.toSpliced(at, 1), `line ${at + 1}: of the sealed report is missing`],
    [
      'a row added',
      lines.toSpliced(at, 0, '{"kind":"person","account":"none"}'),
      `line ${at + 1}: was changed or added`,
    ],
    ['two rows swapped', swapped, `line ${Math.max(at, other) + 1}: was moved or repeated`],
    [
      'a row twice',
      lines.toSpliced(end, 0, lines[at] ?? ''),
      `line ${end + 1}: was moved or repeated: it was sealed as line ${at + 1}`,
    ],
    ['the head changed', edit(0, /"configuration":"./, '"configuration":"_'), 'line 1: was changed or added'],
    ['an entry of the audit changed', edit(audit, 'tester', 'nobody'), `line ${audit + 1}: was changed or added`],
    ['an entry of the audit removed', lines.toSpliced(audit, 1), `line ${audit + 1}: of the sealed report is missing`],
    [
      'a hash in the seal changed',
      edit(end, sha256(lines[at] ?? ''), sha256('x')),
      `line ${end + 1}: the seal was changed`,
    ],
    ['a number in the seal changed', edit(end, '"leavers":1', '"leavers":0'), `line ${end + 1}: the seal was changed`],
    ['the end cut off', lines.slice(0, -1), `line ${end}: is no seal`],
    [
      'sealed again by somebody else',
      resealed.with(end, sealAgain(resealed)),
      `line ${end + 1}: another key has sealed`,
    ],
  ];
  for (const [what, changed, said] of forgeries) {
    expect({ what, ...(await verify(changed)) }).toEqual({ what, status: 1, said: expect.stringContaining(said) });
  }
  expect((await shell.run(['check'])).stdout).toMatch(/audit +.*the chain holds for \d+ entries/);
}, 60_000);
