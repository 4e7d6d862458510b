import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import { type Config, initTemplate, loadConfig } from '../../src/config/index.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { key32 } from './support.ts';

async function loadFromDisk(text: string, env: Readonly<Record<string, string>>): Promise<Config> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'secrets', 'acme-refresh'), 'first\n');
  await writeFile(join(folder, 'rollcall.yaml'), text);
  return loadConfig(join(folder, 'rollcall.yaml'), { env, sourceKinds, expressions: createExpressions() });
}

test('the starter configuration loads, and its sample has the columns that it maps', async () => {
  const { config, samples, instructions } = initTemplate({ sourceKind: 'csv' });
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
  const { config } = initTemplate({ sourceKind: 'csv' });

  await expect(loadFromDisk(config, {})).rejects.toThrow(
    'connections.acme.accessToken: the environment variable ROLLCALL_ACCESS_TOKEN is not set; set it before starting',
  );
});

test('what the starter configuration has as comments loads too', async () => {
  const { config } = initTemplate({ sourceKind: 'csv' });
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

test('a source kind without a starter configuration says which has one', () => {
  expect(() => initTemplate({ sourceKind: 'sftp' })).toThrow('rollcall init --source csv');
});
