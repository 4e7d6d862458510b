import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openTestShell } from '../cli/test-shell.ts';
import { compareProposal, type HrExport, hrExports, type Written } from '../support/exports.ts';

async function openPlace({ users, file, bytes }: HrExport) {
  const sandbox = await startSandbox({ now: () => Date.now(), people: users });
  onTestFinished(() => sandbox.close());
  const shell = await openTestShell({ ROLLCALL_ACCESS_TOKEN: sandbox.accessToken });
  await writeFile(join(shell.folder, file), bytes);
  const init = ['init', '--from', file, '--connection', sandbox.url];
  return { ...shell, init, config: () => readFile(join(shell.folder, 'rollcall.yaml'), 'utf8') };
}

describe('a stranger with an export, a platform and a token', () => {
  const right: number[] = [];
  it.each(hrExports())('gets a first plan from $name without editing a file', async (one) => {
    const { run, init, config } = await openPlace(one);

    const written = await run(init);
    expect(written.code, written.stderr).toBe(0);
    const text = await config();
    const plan = await run(['plan', 'people', '--json']);

    const { wrong, share } = compareProposal(text, one);
    right.push(share);
    // What is wrong must be flagged.
    expect(wrong.filter((key) => !new RegExp(`^.*\\b${key}\\b.*UNSURE`, 'm').test(text))).toEqual([]);
    const { active = [], leaver = [] } = (parse(text) as Written).syncs.people.lifecycle ?? {};
    expect(one.statuses?.active ?? []).toEqual(expect.arrayContaining(active));
    expect(one.statuses?.leaver ?? []).toEqual(expect.arrayContaining(leaver));
    expect([0, 3, 4]).toContain(plan.code);
    expect(plan.json()).toMatchObject({ counts: { create: 6, update: one.updates, disable: 0, failed: 0 } });
  });

  it('finds 97 of 100 fields and more in all of them together', () => {
    expect(right.length).toBeGreaterThan(24);
    expect(right.reduce((sum, share) => sum + share, 0) / right.length).toBeGreaterThan(0.97);
  });

  it.each([
    [
      'a workbook',
      'x.xlsx',
      'PK\x03\x04\x14\0\x06\0[Content_Types].xml',
      'is a workbook (.xlsx, .ods), not CSV: open it',
    ],
    ['an old workbook', 'x.xls', '\xd0\xcf\x11\xe0', 'is an Excel file (.xls)'],
    ['a web page', 'x.csv', '<html><table><tr><td>id</td></tr></table>', 'is HTML or XML, not CSV'],
    ['a PDF', 'x.csv', '%PDF-1.7', 'is a PDF, not CSV'],
    ['an archive', 'x.csv', 'PK\x03\x04 employees.csv', 'source.compression: zip'],
    ['packed data', 'x.csv', '\x1f\x8b\x08\0', 'is gzip data, not CSV'],
    ['JSON without people', 'x.json', '{"total": 4, "ids": [1, 2]}', 'is JSON without a list of objects'],
    ['cut JSON', 'x.json', '{"employees": [{"id": 1}, {"id"', 'is not complete JSON'],
  ])('is told what kind of file it is: %s', async (_, file, text, words) => {
    const { run, folder } = await openTestShell();
    await writeFile(join(folder, file), text, 'latin1');
    const { code, stderr } = await run(['init', '--from', file]);
    expect([code > 0, stderr]).toEqual([true, expect.stringContaining(words)]);
  });

  it('is asked on a terminal, keeps what is there, and gets the same bytes again', async () => {
    const [one] = hrExports();
    const { run, init, config } = await openPlace(one ?? expect.unreachable());
    expect(await run(['init', '--from', one?.file ?? ''], { answer: '' })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Address of the platform'),
    });
    const alone = await config();
    expect(await run(init)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(await config()).toBe(alone);
    await run([...init, '--force']);
    const both = await config();
    await run([...init, '--force']);
    expect(await config()).toBe(both);
    expect(both).not.toBe(alone);
  });

  it('answers on the terminal what the file does not prove', async () => {
    const one = hrExports().find(({ name }) => name === 'HiBob') ?? expect.unreachable();
    const { run, init, config } = await openPlace(one);
    const wrong = await run([...init, '--answer', 'status Garden leave=gone', '--answer', 'none=-']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('the choices are active, leaver, -') });
    expect(wrong.stderr).toContain('--answer none=-: the questions are');
    const { stdout } = await run([...init, '--answer', 'status Garden leave=leaver', '--answer', 'office=-']);
    expect(stdout).not.toContain('Not proven');
    expect((parse(await config()) as Written).syncs.people.lifecycle?.leaver).toEqual(['Terminated', 'Garden leave']);
    expect(await config()).toMatch(/# office: .*left out/);
  });

  it('sees later what drifted, and lines to copy', async () => {
    const one = hrExports().find(({ name }) => name.includes('Chilean')) ?? expect.unreachable();
    const { run, init, folder, config } = await openPlace(one);
    await run(init);
    expect((await run(['map', 'people'])).stdout).toContain('The mapping fits');
    const lines = one.bytes.toString().split('\n');
    const edited = lines.map((line, i) =>
      i === 0 ? line.replace('Gerencia', 'Unidad X') : line.replace(';Vigente;', i < 4 ? ';Pasante;' : ';Vigente;'),
    );
    await writeFile(join(folder, one.file), edited.join('\n'));
    await writeFile(join(folder, 'rollcall.yaml'), (await config()).replace(/^ *leaveDate:.*\n/m, ''));

    const { stdout, code } = await run(['map', 'people']);

    expect(code).toBe(0);
    for (const words of [
      'mapping.area reads Gerencia, which no record has',
      'area is read from Gerencia; Unidad X fits better',
      'lifecycle names no status "Pasante"',
      'lifecycle.leaveDate is not set; Fecha término fits it',
      'area: Unidad X',
      'Not known: choose active or left',
    ])
      expect(stdout).toContain(words);
    expect((await run(['map', 'people', '--json'])).json()).toMatchObject({
      sync: 'people',
      drift: { lines: expect.any(Array) },
    });
  });
});
