import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig, secretKey } from '../../src/config/load-config.ts';
import { ConfigError } from '../../src/config/report.ts';
import { fieldTable } from '../../src/core/person/fields.ts';
import { defaultDialect, defaultGuards, defaultLimits } from '../../src/core/run/settings.ts';
import { csv } from '../../src/sources/csv/index.ts';
import { offering } from '../support/source-kinds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { key32, load, problemsOf } from './support.ts';

const smallest = `connections:
  acme: { baseUrl: "https://platform.example.com/", accessToken: fixed-token }
syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    mapping: { identification: id, firstName: first, lastName: last }
`;

const plain = (from: string) => ({ kind: 'from', path: from, transform: [], format: undefined, whenEmpty: 'keep' });

test('a configuration says what it leaves in plain text, with the keys and never the values', async () => {
  const path = await temporaryFolder();
  const file = join(path, 'rollcall.yaml');
  const told = async (text: string, mode: number): Promise<readonly string[]> => {
    await writeFile(file, text, { mode });
    await chmod(file, mode);
    const { plainText } = await loadConfig(file, {
      env,
      sourceKinds: offering([csv]),
      expressions: createExpressions(),
    });
    return plainText.map((one) => one.replaceAll(file, 'FILE'));
  };
  const env = { KEY: key32, TOKEN: 'kept-elsewhere' };
  const noKey = 'personal data is stored unencrypted. Set encryptionKey; create a key with: openssl rand -base64 32';
  const open = (verbs: string): string =>
    `FILE contains unencrypted secrets (connections.acme.accessToken), and other users of this machine can ${verbs} it. Replace them with \${env:NAME}, or run: chmod 600 FILE`;
  const sealed = `encryptionKey: "\${env:KEY}"\n${smallest}`;

  expect(await told(smallest, 0o644)).toEqual([noKey, open('read')]);
  expect(await told(sealed, 0o666)).toEqual([open('read and change')]);
  expect(await told(sealed, 0o600)).toEqual([]);
  expect(await told(sealed.replace('fixed-token', '"${env:TOKEN}"'), 0o644)).toEqual([]);
});

test('the chart knows the same keys of secrets', async () => {
  const template = await readFile('helm/rollcall/templates/_secrets.tpl', 'utf8');
  expect(template).toContain(`"(?i)${secretKey.source}"`);
});

test('the smallest configuration has every default of the design', async () => {
  const config = await load(smallest);

  expect(config).toMatchObject({
    path: '/etc/rollcall/rollcall.yaml',
    folder: '/etc/rollcall',
    store: 'sqlite:./.rollcall/rollcall.db',
    log: { level: 'info' },
  });
  expect(config.connections.acme).toMatchObject({ name: 'acme', baseUrl: 'https://platform.example.com' });
  expect(config.connections.acme?.dialect).toEqual(defaultDialect);
  expect(config.connections.acme?.limits).toEqual(defaultLimits);
  const { source, ...settings } = config.syncs.people ?? expect.unreachable();
  expect(source.kind).toBe('csv');
  expect(settings).toEqual({
    name: 'people',
    connection: 'acme',
    policy: 'sync',
    delivery: 'auto',
    batchRows: 1000,
    mapping: { identification: plain('id'), fields: { firstName: plain('first'), lastName: plain('last') } },
    scope: undefined,
    match: ['identification'],
    lifecycle: undefined,
    missing: { afterReads: 2, minAgeMs: 86_400_000 },
    outOfScope: 'ignore',
    firstSight: 'write',
    foreignDisable: 'report',
    protected: [],
    remove: 'never',
    handOver: { maxAgeMs: 86_400_000 },
    leavers: { withinMs: 86_400_000, warnMs: 7_200_000 },
    expressions: { perRowMs: 1000, perRunMs: 300_000 },
    settle: {
      everyMs: 5000,
      deadlineMs: 1_800_000,
      visibleWithinMs: 120_000,
      unknownAfterMs: 1_800_000,
      maxSplits: 12,
      proofWithinMs: 600_000,
      lookWithinMs: 900_000,
    },
    guards: defaultGuards,
  });
});

test('what is written is taken as the engine wants it', async () => {
  const config = await load(`
encryptionKey: ${key32}
connections:
  acme:
    baseUrl: http://127.0.0.1:8080/base
    applicationToken: app
    refreshToken: first
    limits: { timeout: 1500ms }
    dialect: { csv: { delimiter: tab, lineEnd: crlf }, mayClear: [job] }
syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    schedule: { cron: "0 6 * * 1-5" }
    policy: sync
    delivery: outbox
    outbox: { folder: ../elsewhere }
    mapping:
      identification: { expression: "$string(id)" }
      firstName: { from: name.first, transform: [trim, capitalize] }
      lastName: { from: name.last }
      email: { from: mail }
      account: { value: Acme }
      birthDate: { from: born, format: dd/MM/yyyy, whenEmpty: clear }
      customFields: { 1: cost_center, "60": other }
    lifecycle: { status: st, active: [A], leaver: [L], leaveDate: out, leavesBy: first, dateFormat: dd/MM/yyyy }
    missing: never
    guards: { creates: { cap: 7 }, disables: { cap: none, percent: 0.5 }, rowsDownPercent: 30 }
`);

  const { dialect, limits, baseUrl } = config.connections.acme ?? expect.unreachable();
  expect(baseUrl).toBe('http://127.0.0.1:8080/base');
  expect(limits.timeoutMs).toBe(1500);
  expect(dialect.csv).toEqual({ ...defaultDialect.csv, delimiter: '\t', lineEnd: '\r\n' });
  expect(dialect.mayClear).toEqual(['job']);
  const sync = config.syncs.people ?? expect.unreachable();
  expect(sync.schedule).toEqual({ cron: '0 6 * * 1-5', timezone: 'UTC' });
  expect(sync.outbox).toEqual({ folder: '/etc/elsewhere' });
  expect(sync.match).toEqual(['identification', 'email']);
  expect(sync.missing).toBe('never');
  expect(sync.lifecycle).toMatchObject({ leaveDate: 'out', leavesBy: 'first' });
  expect(sync.mapping.identification).toMatchObject({ kind: 'expression', expression: '$string(id)' });
  expect(sync.mapping.fields).toMatchObject({
    firstName: { kind: 'from', path: 'name.first', transform: ['trim', 'capitalize'] },
    account: { kind: 'value', value: 'Acme' },
    birthDate: { format: 'dd/MM/yyyy', whenEmpty: 'clear' },
    customField1: { path: 'cost_center' },
    customField60: { path: 'other' },
  });
  expect(sync.guards).toEqual({
    ...defaultGuards,
    creates: { ...defaultGuards.creates, cap: 7 },
    disables: { absolute: 5, percent: 0.5, cap: undefined },
    rowsDownPercent: 30,
  });
});

test('leaders come from the source as fields do, and by identification unless a rule says by e-mail', async () => {
  const mapped = (text: string) => smallest.replace('lastName: last', `lastName: last, ${text}`);
  const config = await load(
    mapped(
      'email: mail, manager: manager_id, secondaryLeaders: [dotted, { from: mentor, by: email, whenEmpty: clear, takeOver: true }]',
    ),
  );
  const plain = {
    kind: 'from',
    transform: [],
    format: undefined,
    whenEmpty: 'keep',
    by: 'identification',
    takeOver: false,
  };

  expect(config.syncs.people?.mapping.leaders).toEqual({
    manager: { ...plain, path: 'manager_id' },
    secondary: [
      { ...plain, path: 'dotted' },
      { ...plain, path: 'mentor', whenEmpty: 'clear', by: 'email', takeOver: true },
    ],
  });
  expect((await load(smallest)).syncs.people?.mapping).not.toHaveProperty('leaders');
  expect((await load(mapped('secondaryLeaders: [a]'))).syncs.people?.mapping.leaders).not.toHaveProperty('manager');
});

test('leaders need an e-mail to look up, a policy that updates, and a delivery that can carry them', async () => {
  const problem = async (manager: string, more: string) => {
    const text = smallest.replace('lastName: last', `lastName: last, manager: ${manager}`);
    return (await problemsOf(text.replace('policy: sync', more))).map(({ path, message }) => `${path} ${message}`);
  };

  expect(await problem('{ from: boss, by: email }', 'policy: sync')).toEqual([
    'syncs.people.mapping.manager.by is email, but mapping has no email; map it, or use by: identification',
  ]);
  const byMail = '{ from: boss, by: email }, email: mail';
  expect(await problem(byMail, 'policy: sync\n    match: [identification]')).toEqual([
    'syncs.people.match lacks email, so no leader can be found by e-mail (mapping.manager); add email, or use by: identification',
  ]);
  expect(await problem('boss', 'policy: create-only')).toEqual([
    'syncs.people.mapping.manager changes leaders, but policy create-only does not allow it; use another policy, or delete this key',
  ]);
  expect(await problem('boss', 'policy: sync\n    delivery: outbox')).toEqual([
    'syncs.people.mapping.manager is not possible with an outbox: a CSV file has no column for leaders',
  ]);
});

test('what is assumed cannot be where every write carries every field', async () => {
  const text = (dialect: string) =>
    smallest
      .replace('fixed-token }', `fixed-token, dialect: ${dialect} }`)
      .replace('policy: sync', 'policy: sync\n    firstSight: assume')
      .replace('lastName: last', 'lastName: last, job: title');
  const path = 'syncs.people.firstSight';
  const message = expect.stringMatching(
    /every write carries job and overwrites what was assumed .*use firstSight: write/,
  );

  expect(await problemsOf(text('{ put: replaces, mayClear: [phoneNumber, seniority] }'))).toMatchObject([
    { path, message },
  ]);
  expect(await problemsOf(text('{ csv: { header: full }, mayClear: [phoneNumber, seniority] }'))).toMatchObject([
    { path, message },
  ]);
  expect((await load(text('{}'))).syncs.people?.firstSight).toBe('assume');
});

test('a write-only field has no rule of its own where every write carries every field', async () => {
  const text = (dialect: string, rule: string) =>
    smallest
      .replace('fixed-token }', `fixed-token, dialect: ${dialect} }`)
      .replace('lastName: last', `lastName: last, area: { from: a, write: onCreate }, job: { from: title, ${rule} }`);
  const puts = '{ put: replaces, mayClear: [phoneNumber, seniority] }';
  const message = expect.stringMatching(/every write carries job, which cannot be read back, and overwrites a change/);

  expect(await problemsOf(text(puts, 'write: ifEmpty'))).toMatchObject([
    { path: 'syncs.people.mapping.job.write', message },
  ]);
  expect(await problemsOf(text(puts, 'keepLocalEdits: true'))).toMatchObject([
    { path: 'syncs.people.mapping.job.keepLocalEdits', message },
  ]);
  const { fields } = (await load(text('{}', 'keepLocalEdits: true'))).syncs.people?.mapping ?? expect.fail();
  expect([fields.area?.write, fields.job?.write]).toEqual(['onCreate', 'keepLocalEdits']);
});

test('protected users are compared as identifications are: NFC and trimmed', async () => {
  const text = smallest.replace('policy: sync', `policy: sync\n    protected: [" ana ", "jose\u0301"]`);

  expect((await load(text)).syncs.people?.protected).toEqual(['ana', 'jos\u00e9']);
});

test('a protected user that no one can be called is a slip', async () => {
  const text = (users: string) => smallest.replace('policy: sync', `policy: sync\n    protected: [${users}]`);

  expect(await problemsOf(text('a, " ", b'))).toMatchObject([
    { path: 'syncs.people.protected[1]', message: 'is blank; no user can have it' },
  ]);
  expect(await problemsOf(text('a, b, "a "'))).toMatchObject([
    { path: 'syncs.people.protected[2]', message: 'is a duplicate; it is first listed as [0]' },
  ]);
});

test('every field of the platform can be mapped', async () => {
  const names = fieldTable.map(({ name }) => name).filter((name) => !/^customField|^firstName$|^lastName$/.test(name));
  const mapping = `firstName: first, lastName: last, ${names.map((name) => `${name}: c_${name}`).join(', ')}`;

  const config = await load(smallest.replace('firstName: first, lastName: last', mapping));

  expect(Object.keys(config.syncs.people?.mapping.fields ?? {}).sort()).toEqual(
    ['firstName', 'lastName', ...names].sort(),
  );
});

test('a configuration in JSON is the same as in YAML', async () => {
  const json = JSON.stringify({
    $schema: './rollcall.schema.json',
    connections: { acme: { baseUrl: 'https://platform.example.com', accessToken: 'fixed-token' } },
    syncs: {
      people: {
        connection: 'acme',
        source: { kind: 'csv', path: './employees.csv' },
        policy: 'sync',
        mapping: { identification: 'id', firstName: 'first', lastName: 'last' },
      },
    },
  });

  expect(JSON.stringify(await load(json))).toBe(JSON.stringify(await load(smallest)));
});

test('all problems are told at once, in order of line, one per line of the message', async () => {
  const text = `stor: x
connections:
  acme: { baseUrl: http://platform.example.com, refreshToken: t }
syncs:
  people:
    conection: acme
    policy: all
    mapping: { identification: id, job: { from: a, value: b } }
  others: { connection: nobody }
`;

  const outcome = await load(text).catch((error: unknown) => error);

  expect(outcome).toBeInstanceOf(ConfigError);
  expect(outcome).toMatchObject({ code: 'CONFIG_INVALID', retry: 'never' });
  const lines = (outcome as ConfigError).message
    .split('\n')
    .map((line) => line.split(': ')[0]?.replace('/etc/rollcall/', ''));
  expect(lines).toEqual([
    'rollcall.yaml:1 stor',
    'rollcall.yaml:1 encryptionKey',
    'rollcall.yaml:3 connections.acme.applicationToken',
    'rollcall.yaml:3 connections.acme.baseUrl',
    'rollcall.yaml:5 syncs.people.connection',
    'rollcall.yaml:5 syncs.people.source',
    'rollcall.yaml:6 syncs.people.conection',
    'rollcall.yaml:7 syncs.people.policy',
    'rollcall.yaml:8 syncs.people.mapping.firstName',
    'rollcall.yaml:8 syncs.people.mapping.lastName',
    'rollcall.yaml:8 syncs.people.mapping.job',
    'rollcall.yaml:9 syncs.others.source',
    'rollcall.yaml:9 syncs.others.policy',
    'rollcall.yaml:9 syncs.others.mapping',
    'rollcall.yaml:9 syncs.others.connection',
  ]);
});

test('an unknown key and a wrong choice list what is allowed', async () => {
  const [choice, key] = await problemsOf(
    smallest.replace('policy: sync', 'policy: sync\n    delivery: fast\n    matcher: x'),
  );

  expect(choice).toMatchObject({ line: 8, column: 15, allowed: ['auto', 'csv', 'direct', 'outbox'] });
  expect(key).toMatchObject({ line: 9, column: 5, path: 'syncs.people.matcher' });
  expect(key?.allowed).toContain('match');
});

test.each([
  ['', 'the file is empty; create one with: rollcall init'],
  ['# nothing\n', 'the file is empty; create one with: rollcall init'],
  ['- a\n', 'the file must be a mapping of keys and values'],
  ['hello', 'the file must be a mapping of keys and values'],
])('a file that holds %j is refused', async (text, message) => {
  expect(await problemsOf(text)).toMatchObject([{ path: '', message }]);
});

test.each([
  ['connections: {}', 'connections', 'must name at least one connection'],
  ['store: sqlite:./db', 'connections', 'is required'],
  ['connections: []', 'connections', 'must be a mapping of keys and values'],
])('%s alone is refused', async (text, path, message) => {
  expect(await problemsOf(text)).toMatchObject([{ line: 1, path, message }]);
});

test('a key called __proto__ is an unknown key, and nothing of it is inherited', async () => {
  const problems = await problemsOf(smallest.replace('policy: sync', '__proto__: { policy: sync }'));

  expect(problems.map(({ path }) => path).sort()).toEqual(['syncs.people.__proto__', 'syncs.people.policy']);
});

test('names that every object has are nobody’s connection or sync', async () => {
  const config = await load(smallest);

  expect(config.connections.constructor).toBeUndefined();
  expect(config.syncs.toString).toBeUndefined();
  expect(await problemsOf(smallest.replace('connection: acme', 'connection: constructor'))).toHaveLength(1);
});

test('an alias stands for its anchor, and a problem in it is told of both, where it is written', async () => {
  const twice = `${smallest}  again:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    mapping: &other { identification: id, firstName: first, lastName: last, job: 5 }
  third:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    mapping: *other
`;

  expect((await problemsOf(twice)).map(({ line, path }) => `${line} ${path}`)).toEqual([
    '13 syncs.again.mapping.job',
    '13 syncs.third.mapping.job',
  ]);
  expect(await problemsOf(`connections: &a { b: *a }`)).toMatchObject([
    { path: 'connections.b', message: 'is an alias (*) of a value that contains it' },
  ]);
});

test('aliases that multiply are refused before they fill the memory', async () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `  l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`,
  );

  const problems = await problemsOf(`connections:\n  l0: &l0 [a]\n${levels.join('\n')}\n`);

  expect(problems).toMatchObject([
    { path: '', message: 'the file has more than 100000 values, counting aliases each time' },
  ]);
});

const direct = smallest.replace('policy: sync', 'policy: upsert-only\n    delivery: direct');

test('direct delivery refuses fields that only a file can carry', async () => {
  const text = direct.replace('lastName: last', 'lastName: last, office: o, customFields: { 30: a, 31: b }');

  expect((await problemsOf(text)).map(({ path }) => path).sort()).toEqual([
    'syncs.people.mapping.customFields.31',
    'syncs.people.mapping.office',
  ]);
  await expect(
    load(text.replace('office: o, customFields: { 30: a, 31: b }', 'customFields: { 30: a }')),
  ).resolves.toBeDefined();
});

test.each([
  ['csv: { header: full }', 'csv', true],
  ['csv: { header: full }', 'auto', true],
  ['csv: { header: full }', 'outbox', true],
  ['csv: { header: full }', 'direct', false],
  ['csv: { header: full, emptyCell: keeps }', 'csv', false],
  ['csv: { header: full }, mayClear: [job, seniority, phoneNumber]', 'csv', false],
  ['put: replaces', 'csv', false],
  ['put: replaces', 'auto', true],
  ['put: replaces', 'direct', true],
  ['put: replaces, mayClear: [job, seniority, phoneNumber]', 'direct', false],
])('dialect %s with delivery %s and no write-only field mapped: refused %s', async (dialect, delivery, isRefused) => {
  const text = smallest
    .replace('accessToken: fixed-token', `accessToken: fixed-token, dialect: { ${dialect} }`)
    .replace('policy: sync', `policy: upsert-only\n    delivery: ${delivery}`);

  const messages = isRefused ? (await problemsOf(text)).map(({ message }) => message) : [];

  if (!isRefused) await expect(load(text)).resolves.toBeDefined();
  else expect(messages).toEqual([expect.stringContaining('does not name job, phoneNumber, seniority')]);
});

test.each([
  ['csv', true],
  ['auto', true],
  ['outbox', true],
  ['direct', false],
])('whenEmpty: clear with delivery %s where an empty cell keeps the value: refused %s', async (delivery, isRefused) => {
  const text = smallest
    .replace('accessToken: fixed-token', 'accessToken: fixed-token, dialect: { csv: { emptyCell: keeps } }')
    .replace('policy: sync', `policy: upsert-only\n    delivery: ${delivery}`)
    .replace('lastName: last', 'lastName: last, customFields: { 3: { from: c, whenEmpty: clear } }');

  const found = isRefused ? await problemsOf(text) : [await load(text)];

  const refusal = {
    path: 'syncs.people.mapping.customFields.3.whenEmpty',
    message: expect.stringContaining('is clear'),
  };
  expect(found).toMatchObject(isRefused ? [refusal] : [{}]);
});

test('a write that empties fields is harmless when only new people are written', async () => {
  const text = smallest
    .replace('accessToken: fixed-token', 'accessToken: fixed-token, dialect: { put: replaces, csv: { header: full } }')
    .replace('policy: sync', 'policy: create-only');

  await expect(load(text)).resolves.toBeDefined();
});

test('two syncs never write to one outbox, however the folder is spelled', async () => {
  const outbox = smallest.replace('policy: sync', 'policy: sync\n    delivery: outbox');
  const other = (folder: string) => `${outbox}  others:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    delivery: outbox
    outbox: { folder: ${folder} }
    mapping: { identification: id, firstName: first, lastName: last }
`;

  expect(await problemsOf(other('./a/../outbox/'))).toMatchObject([
    {
      line: 15,
      path: 'syncs.others.outbox.folder',
      message: expect.stringContaining('also the outbox of syncs.people'),
    },
  ]);
  await expect(load(other('./other'))).resolves.toBeDefined();
});

test('an application token alone is enough once the store has a pair, which needs the key', async () => {
  const text = smallest.replace('accessToken: fixed-token', 'applicationToken: app');

  expect(await problemsOf(text)).toMatchObject([{ path: 'encryptionKey' }]);
  await expect(load(`encryptionKey: ${key32}\n${text}`)).resolves.toMatchObject({});
});

test('http is taken with insecure: true', async () => {
  const insecure = smallest.replace('"https://platform.example.com/"', 'http://platform.example.com, insecure: true');

  expect((await load(insecure)).connections.acme?.baseUrl).toBe('http://platform.example.com');
});

test('files on the disk are read, and one that is not there is a problem of the whole file', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'rollcall.yaml');
  const options = { env: {}, sourceKinds: offering([]), expressions: createExpressions() };
  await writeFile(join(folder, 'token'), 'from-file\r\n');
  await writeFile(
    path,
    `connections: { acme: { baseUrl: "https://platform.example.com", accessToken: "\${file:token}" } }`,
  );

  expect((await loadConfig(path, options)).connections.acme?.accessToken?.reveal()).toBe('from-file');
  await expect(loadConfig(join(folder, 'other.yaml'), options)).rejects.toThrow(
    `${join(folder, 'other.yaml')}: the file does not exist; name another file with --config, or create one with: rollcall init`,
  );
  await expect(loadConfig(folder, options)).rejects.toThrow('cannot be read (EISDIR); check its permissions');
});

test('a configuration can be printed without showing a token', async () => {
  const config = await load(smallest);

  for (const shown of [
    JSON.stringify(config),
    inspect(config, { depth: 9 }),
    `${config.connections.acme?.accessToken}`,
  ]) {
    expect(shown).toContain('[secret]');
    expect(shown).not.toContain('fixed-token');
  }
});

test('a report by e-mail covers a week unless it says so, and every wrong key is named', async () => {
  const report = `reports:
  weekly:
    what: leavers
    schedule: { cron: "0 7 * * 1" }
    url: smtps://ops:secret-word@mail.example.com
    from: rollcall@example.com
    to: [hr@example.com]
`;
  const { reports } = await load(`${smallest}${report}`);
  expect(reports.weekly).toMatchObject({ what: 'leavers', days: 7, to: ['hr@example.com'], insecure: false });
  expect(inspect(reports, { depth: 9 })).not.toContain('secret-word');

  const wrong = report
    .replace('leavers', 'movers')
    .replace('smtps:', 'https:')
    .replace('hr@', 'hr at ')
    .replace('    from:', '    days: 0\n    sync: peple\n    from:');
  expect((await problemsOf(`${smallest}${wrong}`)).map(({ path }) => path).sort()).toEqual([
    'reports.weekly.days',
    'reports.weekly.sync',
    'reports.weekly.to[0]',
    'reports.weekly.what',
  ]);
});

test('another mapping of a sync is read as the file would have it, with positions of its own and no references', async () => {
  const text = `store: sqlite:./a.db
connections: { acme: { baseUrl: https://x.test, accessToken: "\${env:TOKEN}" } }
syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./a.csv }
    policy: sync
    mapping: { identification: id, firstName: first, lastName: last, email: mail }
    lifecycle: { status: status, active: [active], leaver: [left] }
`;
  const config = await loadConfig('/etc/rollcall.yaml', {
    env: { TOKEN: 'secret-token' },
    readFile: async () => text,
    sourceKinds: offering([csv]),
    expressions: createExpressions(),
  });
  const yaml = config.mappingOf('people');
  expect(yaml).toBe('identification: id\nfirstName: first\nlastName: last\nemail: mail\n');
  const edited = await config.withMapping('people', `${yaml}area: unit\n`);
  expect(edited.syncs.people?.mapping.fields.area).toMatchObject({ path: 'unit' });
  expect(config.syncs.people?.mapping.fields.area).toBeUndefined();
  const problemOf = (mapping: string) => config.withMapping('people', mapping).then(String, (error) => error.message);
  expect(await problemOf(`${yaml}frstName: first\n`)).toMatch(/^mapping:5 syncs\.people\.mapping\.frstName: /);
  expect(await problemOf(`${yaml}area: { value: "\${env:TOKEN}" }\n`)).toMatch(/^mapping:5 .*has a reference/);
  expect(await problemOf('email: [')).toMatch(/^mapping:1/);
});
