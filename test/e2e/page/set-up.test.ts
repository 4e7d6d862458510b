import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { openTestShell } from '../../cli/test-shell.ts';
import { describePage, openBrowserPage, overflowOf, see, violationsOf } from '../../support/browser-page.ts';
import { compareProposal, type HrExport, hrExports } from '../../support/exports.ts';

/** Starts a command that serves a set-up, and opens its link in a browser. */
async function openSetUp(one: HrExport, words: readonly string[], width = 1280) {
  const sandbox = await startSandbox({ now: () => Date.now(), people: one.users });
  onTestFinished(() => sandbox.close());
  const shell = await openTestShell({ ROLLCALL_ACCESS_TOKEN: sandbox.accessToken });
  await writeFile(join(shell.folder, one.file), one.bytes);
  const init = ['init', '--from', one.file, '--connection', sandbox.url];
  if (words[0] === 'map') await shell.run(init);
  let end = () => {};
  let ended: ReturnType<typeof shell.run> | undefined;
  const link = await new Promise<string>((resolve, reject) => {
    const onStdout = (text: string, stop: () => void) => {
      end = stop;
      const found = /http:\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    };
    ended = shell.run(words[0] === 'map' ? words : [...init, ...words], { onStdout });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  onTestFinished(async () => {
    end();
    await ended;
  });
  const url = new URL(link).origin;
  const { page } = await openBrowserPage({ url }, { width });
  await page.goto(link);
  await page.locator('.question').first().waitFor();
  return { page, link, folder: shell.folder, end: () => end(), ended: ended ?? expect.unreachable() };
}

/** What a person who knows the file says about a card. */
function answerOf({ truth, statuses }: HrExport, about: string, keys: readonly string[]): string {
  const value = about.startsWith('status ') ? about.slice('status '.length) : undefined;
  if (value !== undefined)
    return statuses?.active.includes(value) ? 'active' : statuses?.leaver.includes(value) ? 'leaver' : '-';
  const parts = truth[about];
  const isRight = (key: string): boolean => parts?.every((part) => key.includes(part)) === true || key === parts?.[0];
  return keys.find(isRight) ?? '-';
}

/** Every sort of export: of systems, of spreadsheets, of directories, and in six languages. */
const twelve = hrExports().filter((_, i) => i % 5 < 2);

describePage('a stranger at the page', () => {
  const shares: number[] = [];

  see.each(twelve)(
    'sets up $name with a click for each open question, and writes nothing before the last',
    async (one) => {
      const { page, folder, ended } = await openSetUp(one, ['--page', '--policy', 'sync']);
      const open = page.locator('.question').filter({ hasText: 'Not proven' });
      let questions = 0;
      for (; (await open.count()) > 0; questions += 1) {
        const radios = await open
          .first()
          .locator('input')
          .evaluateAll((inputs: { name: string; value: string }[]) =>
            inputs.map(({ name, value }) => ({ name, value })),
          );
        const about = radios[0]?.name ?? '';
        const key = answerOf(
          one,
          about,
          radios.map(({ value }) => value),
        );
        await open
          .first()
          .locator(`input[value=${JSON.stringify(key)}]`)
          .click();
        await page
          .locator('.question')
          .filter({ has: page.locator(`input[name=${JSON.stringify(about)}]`), hasText: 'You said so' })
          .waitFor();
      }
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await page.getByRole('heading', { name: 'What a run would do' }).waitFor();
      expect(await readdir(folder)).toEqual([one.file]);
      await page.getByRole('button', { name: 'Write the configuration' }).click();
      await page.getByText('Written: rollcall.yaml').waitFor();

      expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('wrote rollcall.yaml') });
      const text = await readFile(join(folder, 'rollcall.yaml'), 'utf8');
      const { wrong, share } = compareProposal(text, one);
      shares.push(share);
      process.stderr.write(
        `${one.name}: ${questions} questions, ${Math.round(share * 100)} % right, wrong: ${wrong.join()}\n`,
      );
      expect(wrong.filter((key) => !new RegExp(`^.*\\b${key}\\b.*left out`, 'm').test(text))).toEqual([]);
    },
  );

  see('finds nearly every field in all of them together', () => {
    expect(shares).toHaveLength(12);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.97);
  });

  see(
    'answers with the keyboard on a narrow screen, sees values only on request, and what each answer does',
    async () => {
      const one = hrExports().find(({ name }) => name === 'HiBob') ?? expect.unreachable();
      const { page, folder, link, end, ended } = await openSetUp(one, ['--page'], 390);
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      const leave = page.locator('.question').filter({ hasText: 'Garden leave' }).first();
      expect(await leave.innerText()).toMatch(/Not proven[\s\S]*Works here[\s\S]*Has left\s+4 lose access/);
      await leave.locator('input').first().focus();
      await page.keyboard.press('ArrowDown');
      await leave.getByText('You said so').waitFor();
      expect(await page.locator('pre').innerText()).toMatch(/leaver:[\s\S]*Garden leave/);
      const email = page.locator('.question').filter({ hasText: 'e-mail' }).first();
      await email.locator('summary').click();
      expect(await email.locator('li').allInnerTexts()).not.toContainEqual(expect.stringContaining('@example.com'));
      expect(await email.locator('li').count()).toBe(5);
      await page.getByLabel('Show values of people').check();
      await expect.poll(() => email.locator('li').first().innerText()).toContain('@example.com');
      const again = await fetch(link, { redirect: 'manual' });
      expect(again.headers.get('location')).not.toContain('set-up');
      end();
      expect((await ended).code).toBe(1);
      expect(await readdir(folder)).toEqual([one.file]);
    },
  );

  see('looks at the evidence of a configured sync, and copies what it says', async () => {
    const one = hrExports()[0] ?? expect.unreachable();
    const { page, folder, end, ended } = await openSetUp(one, ['map', 'people', '--page']);
    const before = await readFile(join(folder, 'rollcall.yaml'), 'utf8');
    expect(await page.locator('pre').innerText()).toContain('identification: Employee_ID');
    expect(await page.getByRole('button', { name: 'Write the configuration' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByRole('heading', { name: 'What a run would do' }).waitFor();
    end();
    expect((await ended).code).toBe(0);
    expect(await readFile(join(folder, 'rollcall.yaml'), 'utf8')).toBe(before);
  });
});
