import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Dialect, defaultDialect } from '../../../src/core/run/settings.ts';
import { openPlatformApi } from '../../../src/platform/client/api.ts';
import { openPlatformClient } from '../../../src/platform/client/client.ts';
import { operationIds, operationOf, operations } from '../../../src/platform/table/index.ts';
import * as tokenCalls from '../../../src/platform/tokens/calls.ts';
import type { SandboxOptions, SandboxQuirks } from '../../../src/sandbox/index.ts';
import { type ConformingSandbox, openConformingSandbox } from '../../support/conforming-sandbox.ts';
import { renderCoverage } from '../../support/render-coverage.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';
import { runContractSuite } from '../contract-suite/contract-suite.ts';
import { contractSubjects } from '../contract-suite/subjects.ts';

closeAndFailOnLeaks();

async function openSuiteWorld(
  options: Partial<SandboxOptions> = {},
  faults: readonly string[] = [],
): Promise<ConformingSandbox> {
  const world = await openConformingSandbox(options, faults);
  closeLater(() => world.sandbox.close());
  return world;
}

const coveragePath = join(import.meta.dirname, '../../../docs/platform-api-coverage.md');

describe('the contract suite', () => {
  it('tries every operation, each through a method that the client has', () => {
    expect(contractSubjects.map(({ id }) => id).toSorted()).toEqual(operationIds.toSorted());
    expect(new Set(contractSubjects.map(({ method }) => method)).size).toBe(operations.length);
  });

  it('names methods that exist', async () => {
    const { connection } = await openSuiteWorld();
    const client = openPlatformClient(connection);
    const members = { ...openPlatformApi(client), ...tokenCalls } as unknown as Record<string, unknown>;
    for (const { method } of contractSubjects) {
      const found = method.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], members);
      expect(typeof found, method).toBe('function');
    }
    await client.close();
  });

  it('finds that the sandbox conforms in everything: every success, and every documented error status', async () => {
    const lines = await runContractSuite(await openSuiteWorld());

    expect(lines.filter(({ result }) => result !== 'conforms')).toEqual([]);
    for (const id of operationIds) {
      const checks = lines.filter(({ operation }) => operation === id).map(({ check }) => check);
      expect(checks, id).toEqual(
        expect.arrayContaining(['success', 'client', ...operationOf(id).errorStatuses.map(String)]),
      );
    }
    await expect(
      readFile(coveragePath, 'utf8'),
      'docs/platform-api-coverage.md is not what the suite saw: write it anew with "npm run docs"',
    ).resolves.toBe(renderCoverage(lines));
  });

  // What one row opens does not touch the rest of the row, so one run of the suite takes it all.
  it.each<Partial<SandboxQuirks>>([
    {
      ...{ missingUser: 404, busyUpload: '409', hideDateField: 'orgEntryDate', fileFailure: 'good-applied', trims: 40 },
      ...{
        maxPageSize: 2,
        expiresIn: 'ms',
        uniqueEmail: true,
        emptyCell: 'keeps',
        csvDelimiter: ';',
        strictReuse: false,
      },
      ...{ fieldMapping: { Nombre: 'firstName' } },
    },
    {
      ...{
        missingUser: 500,
        busyUpload: 'queue',
        hideDateField: 'birthDate',
        fileFailure: 'says-done',
        put: 'replaces',
      },
      ...{
        enableBy: 'I',
        uploadEncodings: ['multipart'],
        ignoresField: ['job'],
        touch: 'changes',
        declineReasons: [1],
      },
      ...{ csvDateFormat: 'dd/MM/yyyy', rolesToken: 'access' },
    },
  ])('conforms whatever the contract leaves open: %j', async (quirks) => {
    const lines = await runContractSuite(await openSuiteWorld({ quirks }));

    expect(lines.filter(({ result }) => result !== 'conforms')).toEqual([]);
  });

  it.each<{ quirks: Partial<SandboxQuirks>; dialect: Partial<Dialect> }>([
    {
      quirks: { rolesToken: 'application', doneStatus: 'Ready', failedStatus: 'Bad', userId: 'identification' },
      dialect: {
        ...{ rolesToken: 'application', userId: 'identification' },
        status: { ...defaultDialect.status, done: ['Ready'], failed: ['Bad'] },
      },
    },
    {
      quirks: { parameters: 'body', userId: 'uid', expiresIn: 'ms' },
      dialect: { search: { parameters: 'body', pageSize: 5 }, userId: 'uid', expiresIn: 'milliseconds' },
    },
  ])('conforms by the dialect of the connection: $quirks', async ({ quirks, dialect }) => {
    const { connection, aids } = await openSuiteWorld({ quirks });

    const own = { ...connection, dialect: { ...connection.dialect, ...dialect } };
    const lines = await runContractSuite({ connection: own, aids });

    expect(lines.filter(({ result }) => result !== 'conforms')).toEqual([]);
  });

  it.each([
    {
      faults: ['role:status=500', 'search:null-row', 'feedback:truncate-json', 'evaluations:status=404', 'roles:empty'],
      differing: ['role success', 'search success', 'feedback success', 'evaluations defaults', 'roles success'],
    },
    { faults: ['create:status=500', 'search:html', 'goals:missing-page'], differing: ['search client'] },
  ])('tells what differs under $faults, and goes on', async ({ faults, differing }) => {
    const lines = await runContractSuite(await openSuiteWorld({}, faults));

    expect(new Set(lines.map((line) => line.operation)).size).toBe(operations.length);
    const found = lines.filter(({ result }) => result === 'differs').map((line) => `${line.operation} ${line.check}`);
    expect(found).toEqual(expect.arrayContaining(differing));
  });
});
