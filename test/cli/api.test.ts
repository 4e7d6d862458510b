import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { renderApiAnswer } from '../../src/cli/commands/api.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { openProcessIo } from '../../src/main/process.ts';
import { listApiOperations } from '../../src/platform/table/parameters.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plain } from './samples.ts';
import { captured } from './test-shell.ts';

const answer = { connection: 'acme', operation: 'search', status: 200 };

function operation(id: string) {
  const found = listApiOperations().find((one) => one.id === id);
  if (found === undefined) throw new RangeError(id);
  return found;
}

/** Runs a command line with somebody at the terminal; the call would be the next step, and is refused. */
async function ask(words: readonly string[], cwd: string, reply: string) {
  const stdout = captured(false);
  const stderr = captured(false);
  const questions: string[] = [];
  const io = {
    ...openProcessIo(process, new AbortController().signal),
    stdout: stdout.output,
    stderr: stderr.output,
    cwd,
    async ask(question: string) {
      questions.push(question);
      return reply;
    },
    openApp: async () =>
      ({
        platformApi: {
          target: async () => ({ connection: 'acme', baseUrl: 'https://p.example', now: "user E3 'Ana\u001b[31m'" }),
          call: async () => {
            throw new RollcallError('the call would be sent now', { code: 'CONFIG_INVALID' });
          },
        },
        close: async () => {},
      }) as unknown as AppIo,
  };
  const code = await runCli(words, io);
  return { code, stdout: stdout.text(), stderr: stderr.text(), questions };
}

describe('rollcall api', () => {
  it.each([
    ['command,identification\nU,1\n', 'Send the file?'],
    ['\uFEFF"command";"identification"\nU;1\n', 'Send the file?'],
    ['identification,command\n1,U\n', 'every user who is not in it is DISABLED'],
    ['identification,firstName\n1,Ana\n', 'every user who is not in it is DISABLED'],
    ['commander,identification\n', 'every user who is not in it is DISABLED'],
    ['', 'every user who is not in it is DISABLED'],
  ])('asks before a file is sent, and says what %j would do', async (text, question) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'people.csv'), text);

    const no = await ask(['api', 'provisioning', 'upload', '--file', 'people.csv'], folder, 'n');
    const yes = await ask(['api', 'provisioning', 'upload', '--file', 'people.csv'], folder, 'y');

    expect(no).toMatchObject({ code: 1, stdout: 'nothing was changed\n', stderr: '' });
    expect(no.questions).toEqual([expect.stringContaining(question)]);
    expect(no.questions[0]).toContain("provisioning upload on acme (https://p.example): user E3 'Ana");
    expect(no.questions[0]).not.toContain('\u001b');
    expect(yes.stderr).toContain('the call would be sent now');
  });

  it('does not ask before it reads', async () => {
    const { questions, stderr } = await ask(['api', 'roles', 'list'], await temporaryFolder(), 'n');

    expect(questions).toEqual([]);
    expect(stderr).toContain('the call would be sent now');
  });
});

describe('what an operation answered', () => {
  it('is a table for lists: what tells rows apart first, long and strange values tamed', () => {
    const result = [
      { locale: 'en', id: '9223372036854775807', identification: 'a\u001b[31mb', note: 'x'.repeat(60), office: {} },
      { locale: 'es', id: 2, identification: 'ñ', enabled: false },
    ];

    expect(
      renderApiAnswer({ ...answer, body: { result, page: { totalElements: 12 } } }, operation('search'), plain),
    ).toMatchInlineSnapshot(`
      "identification  id                   enabled  locale  note
      a\\u001b[31mb    9223372036854775807           en      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
      ñ               2                    false    es
      2 of 12 shown; every field with --json"
    `);
  });

  it.each([
    [{ result: [] }, 'search', 'nothing found'],
    [undefined, 'delete-goal', 'done (200)'],
    [{}, 'import-job', 'done (200)'],
    [undefined, 'collaborators', 'nothing (200)'],
  ])('of %j to %s is: %3$s', (body, id, text) => {
    expect(renderApiAnswer({ ...answer, body }, operation(id), plain)).toBe(text);
  });

  it('is JSON for one thing', () => {
    const body = { result: { id: 1, firstName: 'A\u009bna' } };

    expect(JSON.parse(renderApiAnswer({ ...answer, body }, operation('read'), plain))).toMatchObject({
      result: { id: 1 },
    });
    expect(renderApiAnswer({ ...answer, body }, operation('read'), plain)).not.toContain('\u009b');
  });
});
