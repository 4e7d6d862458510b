import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openReports as requestReports } from '../../jobs/open-reports.ts';
import { sendReport } from '../../jobs/send-report.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { dueReports, openReports, watchedReports } from '../../src/main/mailed-reports.ts';
import { knownKinds } from '../../src/sources/kinds.ts';
import { judgeReports } from '../../src/watch/alerts/judge-service.ts';
import { openMailServer } from '../support/mail-server.ts';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The scheduler of reports over an office. `tick` is one look of the scheduler, a minute later. */
async function openReporter(office: Office, port: number, report: Readonly<Record<string, unknown>> = {}) {
  const text = await readFile(join(office.folder, 'rollcall.json'), 'utf8');
  const weekly = {
    what: 'leavers',
    schedule: { cron: '0 7 * * 1' },
    url: `smtp://127.0.0.1:${port}`,
    from: 'rollcall@example.com',
    to: ['hr@example.com'],
    ...report,
  };
  const path = join(office.folder, 'reports.json');
  await writeFile(path, JSON.stringify({ ...JSON.parse(text), reports: { weekly } }));
  const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
  const engine = { ...office.engine.io, reports: openReports(config, () => office.engine.io, undefined) };
  const open = () => dueReports(config, engine);
  let reports = open();
  return {
    config,
    engine,
    restart: () => {
      reports = open();
    },
    async tick() {
      office.clock.jump(minuteMs);
      const withLease = <T>(_: string, work: (signal: AbortSignal) => Promise<T>) => work(AbortSignal.timeout(60_000));
      await requestReports.run(
        {
          engine,
          reports,
          enqueue: async (_, { report = '' }) => void (await sendReport.run({ engine, withLease }, { report })),
        },
        undefined,
      );
    },
  };
}

/** Of twenty people one left on Saturday, 2026-11-21. It is Monday, 06:58. */
async function openMonday() {
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) } });
  await office.applyRows(employees(20));
  await office.applyRows(employees(20, { E3: { status: 'left', last: 'Ñíguez' } }));
  office.clock.jump(Date.parse('2026-11-23T06:58:00Z') - office.clock.now());
  return office;
}

it('a report goes out once for each slot, with the people of the days before and none in its text', async () => {
  const office = await openMonday();
  const { mails, port } = await openMailServer();
  const reporter = await openReporter(office, port);
  await reporter.tick();
  expect(mails).toEqual([]);
  for (let minute = 0; minute < 5; minute += 1) {
    await reporter.tick();
    reporter.restart();
  }
  expect(mails).toHaveLength(1);
  const [mail = ''] = mails;
  expect(mail).toContain('Subject: [rollcall] 1 leaver from 2026-11-16 to 2026-11-22');
  expect(mail).toContain('To: hr@example.com');
  expect(mail).toContain('leavers_2026-11-16_2026-11-22.csv');
  const [, body = ''] = /csv\r\n(?:Content-.*\r\n)*\r\n([\s\S]+?)\r\n--/i.exec(mail) ?? [];
  const csv = /base64/i.test(mail) ? Buffer.from(body, 'base64').toString() : body;
  expect(csv).toMatch(/people,E3,.*disable,applied/);
  expect(mail.replace(body, '')).not.toMatch(/E3|ana3/);
  const [entry] = await office.engine.io.store.audit.list({ limit: 1 });
  expect(entry).toMatchObject({
    action: 'export-changes',
    by: 'schedule',
    detail: expect.stringContaining('reports.weekly'),
  });

  office.clock.jump(7 * dayMs - 20 * minuteMs);
  for (let minute = 0; minute < 30; minute += 1) await reporter.tick();
  expect(mails).toHaveLength(2);
  expect(mails[1]).toContain('0 leavers from 2026-11-23 to 2026-11-29');
});

it('a report that the mail server refuses is an alert, is tried again, and arrives once', async () => {
  const office = await openMonday();
  let isFull = true;
  const { mails, port } = await openMailServer({
    onRcptTo: (_address, _session, callback) => callback(isFull ? new Error('mailbox full') : null),
  });
  const reporter = await openReporter(office, port);
  for (let minute = 0; minute < 6; minute += 1) await reporter.tick();
  const [state] = await office.engine.io.store.mailedReports.list();
  expect(state).toMatchObject({ name: 'weekly', failures: 3 });
  expect(watchedReports(reporter.config, 'acme').map(({ name }) => name)).toEqual(['weekly']);
  const problem = judgeReports({ reports: state === undefined ? [] : [{ state, staleBefore: 0 }] });
  expect(problem).toMatchObject({
    code: 'report-failed',
    details: [expect.stringMatching(/127\.0\.0\.1 did not accept the e-mail/)],
  });
  isFull = false;
  for (let minute = 0; minute < 10; minute += 1) await reporter.tick();
  expect(mails).toHaveLength(1);
  expect(await office.engine.io.store.mailedReports.list()).toMatchObject([{ failures: 0 }]);
});

it('a list for HR counts in its text what is wrong, and names people and who corrects them in the file alone', async () => {
  const office = await openOffice({ sync: { hrOwner: 'first' } });
  await office.applyRows(employees(5, { E2: { status: 'away' }, E3: { mail: 'no address' } }));
  office.clock.jump(Date.parse('2026-11-23T06:58:00Z') - office.clock.now());
  const { mails, port } = await openMailServer();
  const reporter = await openReporter(office, port, { what: 'data-quality', sync: 'people', language: 'es' });
  for (let minute = 0; minute < 4; minute += 1) await reporter.tick();
  expect(mails).toHaveLength(1);
  const [mail = ''] = mails;
  expect(mail).toContain('Subject: [rollcall] 2 corrections');
  const parts = mail.split(/\r\n--/).map((part) => {
    const [, head = '', body = ''] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(part) ?? [];
    const isQuoted = /quoted-printable/i.test(head);
    const plain = isQuoted ? body.replace(/=\r\n/g, '').replace(/=(..)/g, '%$1') : body;
    if (isQuoted) return decodeURIComponent(plain.replace(/%(?![0-9A-F]{2})/g, '%25'));
    return /base64/i.test(head) ? Buffer.from(body, 'base64').toString() : body;
  });
  const text = parts.find((part) => part.includes('The attached file'));
  expect(text).toMatch(/El estado está vacío .*: 1/);
  expect(text).not.toMatch(/E2|Ana2/);
  expect(parts.join('\n')).toMatch(/^Ana2,E2,line 3,,El estado/m);
});
