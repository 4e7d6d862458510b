import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSync } from '../../src/app/requests.ts';
import { openConfiguredApp } from '../../src/main/process.ts';
import { employees, openOffice, type Row, usersOf } from '../support/office.ts';

it('every line of a run names it, also those of the client of the platform, which serves many runs', async () => {
  const before = employees(20);
  const office = await openOffice({ sandbox: { people: usersOf(before) } });
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
  await office.applyRows(before);
  await office.writeEmployees(employees(20, left));
  office.setFaults('search:status=502@1');
  const lines: string[] = [];
  const app = await openConfiguredApp(join(office.folder, 'rollcall.json'), {
    env: {},
    stderr: { write: (line) => lines.push(line) },
    logs: 'on',
    mayPresentSeed: true,
  });
  try {
    const { run } = await runSync(app, 'people', {
      signal: AbortSignal.timeout(60_000),
      progress: () => {},
      by: 'shell:ana',
    });
    const found = lines.map((line) => JSON.parse(line) as { run?: string; msg: string });
    const texts = found.map(({ msg }) => msg).join('\n');
    for (const part of ['read failed', 'held: ', 'run ended']) expect(texts).toContain(part);
    expect(found.filter((line) => line.run !== run.id)).toEqual([]);
    // JSON takes a name twice and keeps the last: whoever reads by other means may not.
    for (const line of lines) expect(line.match(/"run":/g), line).toHaveLength(1);
  } finally {
    await app.close();
  }
});
