import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { initTemplate } from '../../src/config/init-template.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { AccessTokens } from '../../src/ports/tokens.ts';
import { knownKinds } from '../../src/sources/kinds.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { sourceBase } from '../support/source-base.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { key32 } from './support.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

async function loadFromDisk(text: string, env: Readonly<Record<string, string>>): Promise<Config> {
  const folder = await temporaryFolder();
  for (const [, path = ''] of text.matchAll(/\$\{file:([^}]+)\}/g)) {
    if (path === 'path') continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path.endsWith('.pem') ? privateKey : 'first\n');
  }
  await writeFile(join(folder, 'rollcall.yaml'), text);
  return loadConfig(join(folder, 'rollcall.yaml'), { env, sourceKinds: knownKinds, expressions: createExpressions() });
}

test('the starter configuration for a CSV file loads, and its sample has the columns that it maps', async () => {
  const { config, samples, instructions } = initTemplate(sourceKinds, 'csv');
  const columns = samples[0]?.text.split('\n')[0]?.split(',') ?? [];

  const { connections, syncs } = await loadFromDisk(config, { ROLLCALL_ACCESS_TOKEN: 'abc' });

  expect(connections.acme?.accessToken?.reveal()).toBe('abc');
  const { mapping, policy, lifecycle } = syncs.people ?? expect.unreachable();
  expect(policy).toBe('upsert-only');
  const mapped = [mapping.identification, ...Object.values(mapping.fields)].map((rule) =>
    rule?.kind === 'from' ? rule.path : rule,
  );
  expect(columns).toEqual(expect.arrayContaining([...mapped, lifecycle?.status, lifecycle?.leaveDate]));
  expect(samples[0]?.path).toBe('employees.csv');
  expect(instructions).toContain('rollcall plan people');
});

test('without its token the starter configuration says which variable to set', async () => {
  const { config } = initTemplate(sourceKinds, 'csv');

  await expect(loadFromDisk(config, {})).rejects.toThrow(
    'connections.acme.accessToken: the environment variable ROLLCALL_ACCESS_TOKEN is not set; set it before you start Rollcall',
  );
});

test('what the starter configuration has as comments loads too', async () => {
  const { config } = initTemplate(sourceKinds, 'csv');
  const keys =
    'store|applicationToken|refreshToken|limits|dialect|schedule|job|account|seniority|customFields|scope|protected|missing|remove|guards';
  const uncommented = config
    .replace('accessToken:', '# accessToken:')
    .replace('policy: upsert-only', 'policy: sync')
    .replace(new RegExp(`^(\\s*)# (${keys}):`, 'gm'), '$1$2:');

  const { syncs, connections } = await loadFromDisk(`encryptionKey: ${key32}\n${uncommented}`, {
    ROLLCALL_APPLICATION_TOKEN: 'abc',
  });

  expect(connections.acme?.refreshToken?.reveal()).toBe('first');
  expect(syncs.people).toMatchObject({
    schedule: { timezone: 'UTC' },
    scope: "country = 'UY'",
    protected: ['admin'],
    remove: { blacklist: false },
    mapping: { fields: { customField1: {}, seniority: {}, job: {}, account: {} } },
  });
});

test('a name that no kind begins with is told the names', () => {
  expect(() => initTemplate(sourceKinds, 'oracle')).toThrow(
    /no source starter is called oracle.*available are: .*\bcsv\b/,
  );
});

const starters = sourceKinds.flatMap((kind) => kind.starters.map((starter) => ({ kind, ...starter })));

test('every kind has a starting point, and each its own name', () => {
  const names = starters.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
  expect(sourceKinds.filter(({ starters: own }) => own.length === 0).map(({ kind }) => kind)).toEqual([]);
});

describe.each(starters)('init --source $name', ({ kind, name, secrets, steps, samples }) => {
  const { config, instructions } = initTemplate(sourceKinds, name);
  const values = Object.fromEntries(Object.keys(secrets).map((variable) => [variable, sampleSecret(variable)]));
  const env = {
    ROLLCALL_ACCESS_TOKEN: 'abc',
    ...values,
    ...('ROLLCALL_KEY' in secrets ? { ROLLCALL_KEY: key32 } : {}),
  };

  test('writes a configuration that loads as soon as its secrets are set', async () => {
    const { syncs, folder } = await loadFromDisk(config, env);

    const { source, lifecycle, mapping } = syncs.people ?? expect.unreachable();
    expect(source.kind).toBe(kind.kind);
    expect(source.open(sourceBase(folder, { openTokens: () => ({}) as AccessTokens })).kind).toBe(kind.kind);
    expect(Object.keys(mapping.fields)).toEqual(expect.arrayContaining(['firstName', 'lastName']));
    expect(lifecycle?.leaver[0] ?? lifecycle?.leaveDate, 'says who left').toBeDefined();
  });

  test('names every secret that it needs, and no other', () => {
    const variables = (text: string) => [...text.matchAll(/\$\{env:([A-Z\d_]+)\}/g)].map(([, variable]) => variable);

    expect(Object.keys(env)).toEqual(expect.arrayContaining(variables(withoutComments(config))));
    expect(variables(config)).toEqual(expect.arrayContaining(Object.keys(env)));
  });

  test('says what to do next, and overwrites nothing outside of its folder', () => {
    for (const text of [...Object.keys(secrets), ...steps, 'rollcall source try people'])
      expect(instructions).toContain(text);
    for (const { path } of samples ?? []) expect(path).not.toMatch(/^\/|\.\./);
    expect(config).not.toMatch(/[ \t]$/m);
  });
});

/** Something of the form that the secret has. */
function sampleSecret(variable: string): string {
  return variable.endsWith('DATABASE_URL') ? 'postgres://rollcall:secret@db.example.com/hr' : 'not-a-real-secret';
}

function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$|\s#\s.*$/gm, '');
}
