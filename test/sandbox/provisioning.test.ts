import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTable } from '../../src/core/person/fields.ts';
import { drawRuns } from '../support/drawn.ts';
import { admin, sandboxes } from './open-sandbox.ts';

const open = sandboxes();
const files = `${admin}/admin/userFiles`;
const header = 'command,identification,firstName,lastName,area';

const person = (identification: string, enabled = true) => ({
  identification,
  enabled,
  fields: { firstName: 'Ana', lastName: 'Núñez', area: 'Sales', job: 'Analyst' },
});

describe('an uploaded file', () => {
  it('is Processing and blocked first, and Processed without effect of a timer', async () => {
    const sandbox = await open({ processingMs: 200, people: [person('E1')] });

    const { status, body } = await sandbox.upload(header, 'D,E1,,,');

    expect([status, body.result]).toEqual([
      200,
      {
        id: 1,
        fileName: 'users.csv',
        communityId: 1,
        uploaderId: 1,
        fileDate: '2026-05-20 12:00:00',
        fileStatus: 'Processing',
        blocked: true,
      },
    ]);
    sandbox.advance(199);
    expect((await sandbox.call('GET', `${files}/1`)).body.result.fileStatus).toBe('Processing');
    expect(sandbox.state.users.get('E1')?.enabled).toBe(true);
    sandbox.advance(1);
    expect(sandbox.state.users.get('E1')?.enabled).toBe(false);
    expect((await sandbox.call('GET', `${files}/1`)).body.result).toMatchObject({
      fileStatus: 'Processed',
      blocked: false,
    });
    expect(sandbox.state.log).toMatchObject([{ identification: 'E1', kind: 'disabled', via: 'file:1' }]);
  });

  it('shows in reads as soon as its time has come, even if nobody asked for its status', async () => {
    const sandbox = await open({ people: [person('E1')] });
    await sandbox.upload(header, 'U,E1,Ana,Núñez,Legal');
    sandbox.advance(5000);

    const { result } = (await sandbox.call('GET', `${admin}/users/E1`)).body;

    expect(result).toMatchObject({ area: 'Legal', lastUpdate: '2026-05-20T12:00:01' });
  });

  it.each([
    ['400', 400, 1],
    ['409', 409, 1],
    ['423', 423, 1],
    ['queue', 200, 2],
  ] as const)('while another is processed: %s gives %i', async (busyUpload, status, accepted) => {
    const sandbox = await open({ quirks: { busyUpload }, people: [person('E1')] });
    await sandbox.upload(header, 'D,E1,,,');

    expect((await sandbox.upload(header, 'U,E1,Ana,Núñez,Legal')).status).toBe(status);

    expect(sandbox.state.files.size).toBe(accepted);
    sandbox.advance(200);
    expect(sandbox.state.log.map(({ kind }) => kind)).toEqual(['disabled']);
    sandbox.advance(200);
    expect(sandbox.state.log).toHaveLength(accepted);
    expect((await sandbox.upload(header, 'U,E1,Ana,Núñez,Ops')).status).toBe(200);
  });

  it('ends with the words of the platform', async () => {
    const sandbox = await open({ quirks: { doneStatus: 'Terminado', failedStatus: 'Roto' }, people: [person('E1')] });

    expect((await sandbox.provision(header, 'D,E1,,,')).fileStatus).toBe('Terminado');
    expect((await sandbox.provision(header, 'D,E2,,,')).fileStatus).toBe('Roto');
  });
});

describe('encodings of the upload', () => {
  const csv = `${header}\nI,E1,Zoë,Núñez,Sales\n`;
  const base64 = Buffer.from(csv).toString('base64');

  it.each([
    ['the content as JSON', { file: csv, fileName: 'a.csv' }],
    ['base64 as JSON', { file: base64, fileName: 'a.csv' }],
  ])('%s is taken', async (_name, body) => {
    const sandbox = await open();

    const answer = await sandbox.call('POST', `${files}/`, { body });
    sandbox.advance(1000);

    expect([answer.status, answer.body.result.fileName]).toEqual([200, 'a.csv']);
    expect(sandbox.state.users.get('E1')?.fields.firstName).toBe('Zoë');
  });

  it.each([
    ['multipart', 'json', { file: csv, fileName: 'a.csv' }],
    ['json', 'json-base64', { file: base64, fileName: 'a.csv' }],
  ] as const)('where only %s is taken, %s is refused', async (accepted, _sent, body) => {
    const sandbox = await open({ quirks: { uploadEncodings: [accepted] } });

    expect((await sandbox.call('POST', `${files}/`, { body })).status).toBe(400);
    expect(sandbox.state.files.size).toBe(0);
  });

  it('multipart is refused where it is not taken', async () => {
    const sandbox = await open({ quirks: { uploadEncodings: ['json'] } });

    expect((await sandbox.upload(header)).status).toBe(400);
  });

  it('a multipart body that is none is refused with the platform error body', async () => {
    const sandbox = await open();
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };

    const answer = await sandbox.call('POST', `${files}/`, { body: 'no parts', headers });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: `uri=${files}/`, detail: expect.any(String) });
  });

  it('a multipart file that is not UTF-8 is refused', async () => {
    const sandbox = await open();
    const form = new FormData();
    form.append('file', new Blob([Buffer.from([0x63, 0xff, 0xfe])]), 'a.csv');
    form.append('fileName', 'a.csv');

    expect((await sandbox.call('POST', `${files}/`, { body: form })).status).toBe(400);
  });
});

describe('partial provisioning', () => {
  it('creates, updates and disables, by columns in any order, and leaves everybody else alone', async () => {
    const sandbox = await open({ people: [person('E1'), person('E2'), person('E3')] });

    const file = await sandbox.provision(
      'command,lastName,firstName,identification,office,customField60,orgEntryDate',
      'I,"Quoted, ""Name""",Zoë,N1,Montevideo,sixty,2024-02-29',
      'U,Núñez,Anna,E1,Bogotá,,2020-01-01',
      'D,,,E2,,,',
    );

    expect(file.fileStatus).toBe('Processed');
    expect(sandbox.state.users.get('N1')).toMatchObject({
      enabled: true,
      fields: {
        firstName: 'Zoë',
        lastName: 'Quoted, "Name"',
        office: 'Montevideo',
        customField60: 'sixty',
        orgEntryDate: '2024-02-29',
      },
    });
    expect(sandbox.state.users.get('E1')?.fields).toEqual({
      firstName: 'Anna',
      lastName: 'Núñez',
      area: 'Sales',
      job: 'Analyst',
      office: 'Bogotá',
      orgEntryDate: '2020-01-01',
    });
    expect(sandbox.state.users.get('E2')).toMatchObject({ enabled: false, fields: person('E2').fields });
    expect(sandbox.state.log.map(({ identification, kind }) => [identification, kind])).toEqual([
      ['N1', 'created'],
      ['E1', 'updated'],
      ['E2', 'disabled'],
    ]);
    expect((await sandbox.call('GET', `${admin}/users/N1`)).body.result).toMatchObject({
      office: { name: 'Montevideo' },
      customFields: { customField60: 'sixty' },
    });
  });

  it('takes every column of the contract', async () => {
    const sandbox = await open();
    const names = fieldTable.map(({ name }) => name);
    const cells = fieldTable.map(({ isDate }, i) => (isDate ? '2020-01-01' : `value ${i}`));

    await sandbox.provision(`command,${names.join(',')},identification`, `I,${cells.join(',')},E1`);

    expect(Object.keys(sandbox.state.users.get('E1')?.fields ?? {})).toHaveLength(72);
  });

  it.each([
    ['clears', undefined],
    ['keeps', 'Sales'],
  ] as const)('an empty cell %s the value', async (emptyCell, area) => {
    const sandbox = await open({ quirks: { emptyCell }, people: [person('E1')] });

    await sandbox.provision(header, 'U,E1,Ana,Núñez,');

    expect(sandbox.state.users.get('E1')?.fields.area).toBe(area);
  });

  it('with unique e-mails, a row with the e-mail of another user is bad, also when that one changes in the same file', async () => {
    const people = [1, 2].map((n) => ({
      ...person(`E${n}`),
      fields: { ...person(`E${n}`).fields, email: `${n}@x.example` },
    }));
    const sandbox = await open({ quirks: { uniqueEmail: true, fileFailure: 'good-applied' }, people });

    await sandbox.provision('command,identification,email', 'U,E1,2@X.example', 'U,E2,3@x.example');

    const emails = ['E1', 'E2'].map((name) => sandbox.state.users.get(name)?.fields.email);
    expect(emails).toEqual(['1@x.example', '3@x.example']);
    const body = { identification: 'E9', firstName: 'Eva', lastName: 'Paz', email: '1@x.example' };
    expect((await sandbox.call('POST', `${admin}/users/`, { body })).status).toBe(400);
  });

  it.each([
    ['U', 'U', 'enabled', true],
    ['I', 'I', 'enabled', true],
    ['I', 'U', 'updated', false],
  ] as const)('where %s enables, %s on a disabled user is %s', async (enableBy, command, kind, enabled) => {
    const sandbox = await open({ quirks: { enableBy }, people: [person('E1', false)] });

    await sandbox.provision(header, `${command},E1,Ana,Núñez,Legal`);

    expect(sandbox.state.users.get('E1')).toMatchObject({ enabled, fields: { area: 'Legal' } });
    expect(sandbox.state.log).toMatchObject([{ kind }]);
  });

  it('disables who is disabled already, and says that nothing changed', async () => {
    const sandbox = await open({ people: [person('E1', false)] });

    expect((await sandbox.provision(header, 'D,E1,,,')).fileStatus).toBe('Processed');

    expect(sandbox.state.log).toMatchObject([{ kind: 'disabled', fields: [] }]);
  });

  const badRows: [string, string][] = [
    ['U of nobody', 'U,N1,Ana,Núñez,Sales'],
    ['D of nobody', 'D,N1,,,'],
    ['I of somebody', 'I,E1,Ana,Núñez,Sales'],
    ['I of a disabled user, where U enables', 'I,E2,Ana,Núñez,Sales'],
    ['I without a first name', 'I,N1,,Núñez,Sales'],
    ['U that clears the last name', 'U,E1,Ana,,Sales'],
    ['an unknown command', 'X,E1,Ana,Núñez,Sales'],
    ['a command in small letters', 'u,E1,Ana,Núñez,Sales'],
    ['no identification', 'U,,Ana,Núñez,Sales'],
    ['too few cells', 'U,E1,Ana'],
    ['too many cells', 'U,E1,Ana,Núñez,Sales,more'],
  ];

  it.each(badRows)('%s is a bad row', async (_name, row) => {
    const sandbox = await open({ people: [person('E1'), person('E2', false)] });

    expect((await sandbox.provision(header, row)).fileStatus).toBe('Failed');

    expect(sandbox.state.files.get(1)?.rows).toMatchObject([{ line: 2, result: 'bad', reason: expect.any(String) }]);
    expect(sandbox.state.log).toEqual([]);
  });

  it('the same person twice, and a day that does not exist, are bad rows', async () => {
    const sandbox = await open({ people: [person('E1')] });

    await sandbox.provision('command,identification,birthDate', 'U,E1,1990-01-01', 'U,E1,1990-02-30');

    expect(sandbox.state.files.get(1)?.rows.map(({ result }) => result)).toEqual(['not-applied', 'bad']);
  });

  it.each([
    ['none-applied', 'Failed', []],
    ['good-applied', 'Failed', ['E1']],
    ['says-done', 'Processed', ['E1']],
  ] as const)('with a bad row, %s: %s, effects on %j', async (fileFailure, status, effects) => {
    const sandbox = await open({ quirks: { fileFailure }, people: [person('E1')] });

    expect((await sandbox.provision(header, 'U,N1,Ana,Núñez,Sales', 'D,E1,,,')).fileStatus).toBe(status);

    expect(sandbox.state.log.map(({ identification }) => identification)).toEqual(effects);
  });

  it.each([
    ['a column that the platform does not have', 'command,identification,nickname'],
    ['customField61', 'command,identification,customField61'],
    ['no identification', 'command,firstName'],
    ['a column twice', 'command,identification,area,area'],
    ['a command that is not first', 'identification,command'],
  ])('a header with %s fails the file', async (_name, line) => {
    const sandbox = await open({ people: [person('E1')] });

    expect((await sandbox.provision(line, 'U,E1')).fileStatus).toBe('Failed');
    expect(sandbox.state.files.get(1)?.reason).toEqual(expect.any(String));
    expect(sandbox.state.log).toEqual([]);
  });

  it('a quote that never ends fails the file', async () => {
    const sandbox = await open({ people: [person('E1')] });

    expect((await sandbox.provision(header, 'U,E1,"Ana,Núñez,Sales')).fileStatus).toBe('Failed');
  });

  it('takes a byte order mark, CRLF, another delimiter and another date format', async () => {
    const sandbox = await open({ quirks: { csvDelimiter: ';', csvDateFormat: 'dd/MM/yyyy' }, people: [person('E1')] });

    await sandbox.provision('\uFEFFcommand;identification;birthDate\r', 'U;E1;28/02/1990\r');

    expect(sandbox.state.users.get('E1')?.fields.birthDate).toBe('1990-02-28');
  });
});

describe('values in a file', () => {
  it('are kept exactly as they were sent', async () => {
    const sandbox = await open();
    const text = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom('"', ',', ';', '\n', '\r', ' ', "'", '='),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        ),
      })
      .filter((value) => value.trim() !== '' && !value.startsWith('\uFEFF'));
    let n = 0;
    await fc.assert(
      fc.asyncProperty(text, text, text, async (identification, area, office) => {
        n += 1;
        const key = `${n} ${identification}`;
        const lines = stringify([
          ['command', 'identification', 'firstName', 'lastName', 'area', 'office'],
          ['I', key, 'Ana', 'Núñez', area, office],
        ]);

        const body = { file: lines, fileName: 'a.csv' };
        await sandbox.call('POST', `${files}/`, { body });
        sandbox.advance(1000);

        expect(sandbox.state.files.get(n)?.reason).toBeUndefined();
        expect(sandbox.state.users.get(key)?.fields).toEqual({ firstName: 'Ana', lastName: 'Núñez', area, office });
      }),
      { numRuns: drawRuns(100) },
    );
  });
});

describe('full provisioning', () => {
  it('updates and creates who is in the file, and disables everybody else', async () => {
    const sandbox = await open({ people: [person('E1'), person('E2'), person('E3', false), person('E4', false)] });

    await sandbox.provision('identification,firstName,lastName', 'E1,Anna,Núñez', 'E3,Ana,Núñez', 'N1,Zoë,Peña');

    const enabled = [...sandbox.state.users].map(([identification, user]) => [identification, user.enabled]);
    expect(Object.fromEntries(enabled)).toEqual({ E1: true, E2: false, E3: true, E4: false, N1: true });
    expect(sandbox.state.users.get('E1')?.fields.firstName).toBe('Anna');
    expect(sandbox.state.log.map(({ identification, kind }) => [identification, kind])).toEqual([
      ['E1', 'updated'],
      ['E3', 'enabled'],
      ['N1', 'created'],
      ['E2', 'disabled'],
    ]);
  });
});

describe('preprocessing', () => {
  const lines = ['command,legajo,sector', 'U,E1,Legal'];

  it('applies the configured field mapping when asked to', async () => {
    const quirks = { fieldMapping: { legajo: 'identification', sector: 'area' } };
    const sandbox = await open({ quirks, people: [person('E1')] });
    const form = new FormData();
    form.append('file', new Blob([lines.join('\n')]), 'a.csv');
    form.append('fileName', 'a.csv');

    await sandbox.call('POST', `${files}/?preprocessing=true`, { body: form });
    sandbox.advance(1000);

    expect(sandbox.state.users.get('E1')?.fields.area).toBe('Legal');
  });

  it('does nothing when not asked to', async () => {
    const quirks = { fieldMapping: { legajo: 'identification', sector: 'area' } };
    const sandbox = await open({ quirks, people: [person('E1')] });

    expect((await sandbox.provision(...lines)).fileStatus).toBe('Failed');
  });
});

describe('the import job', () => {
  const job = `${admin}/admin/import-users-job`;

  it('is refused without a defined source', async () => {
    const sandbox = await open();

    expect((await sandbox.call('PATCH', job)).status).toBe(400);
  });

  it('is accepted with 202 and provisions from the defined source afterwards', async () => {
    const sandbox = await open({ importSource: 'identification,firstName,lastName\nE1,Ana,Núñez\n' });

    const answer = await sandbox.call('PATCH', job);

    expect([answer.status, answer.body]).toEqual([202, {}]);
    expect((await sandbox.call('PATCH', job)).status).toBe(400);
    expect(sandbox.state.users.size).toBe(0);
    sandbox.advance(1000);
    expect(sandbox.state.users.has('E1')).toBe(true);
    expect(sandbox.state.log).toMatchObject([{ kind: 'created', via: 'file:1' }]);
  });
});
