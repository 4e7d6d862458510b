import type { AddCommand } from './command.ts';
import { instant } from './json-reports.ts';
import { parseWholeNumber } from './parse-options.ts';
import { addQuietCommands } from './quiet-alerts.ts';
import { renderAlerts, renderChannelTests } from './render-alerts.ts';
import type { Shell } from './shell.ts';

interface ListOptions {
  readonly limit: number;
}

export const addAlerts: AddCommand = (program, host) => {
  const alerts = program.command('alerts').description('show the alerts and their channels, and test the channels');
  alerts
    .command('list')
    .description('show open problems, the channels, and the latest notices')
    .option('--limit <n>', 'maximum number of notices', parseWholeNumber, 20)
    .action(host.action(list));
  addQuietCommands(alerts, host);
  alerts
    .command('test')
    .description('send a test notice now')
    .argument('[channel]', 'only through this channel')
    .action(host.action(test));
};

async function list(shell: Shell, { limit }: ListOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const report = await app.alerts(limit);
    shell.printJson({
      channels: report.channels.map(({ afterMs, remindMs, ...channel }) => {
        return { ...channel, syncs: channel.syncs ?? null, afterMs, remindMs: remindMs ?? null };
      }),
      standing: report.standing.map(({ subject, topic, code, severity, summary, since, acked, run }) => {
        const base = { subject, topic, code, severity, summary, since: instant(since), run: run ?? null };
        return { ...base, acked: acked === undefined ? null : { by: acked.by, at: instant(acked.at) } };
      }),
      muted: report.muted.map(({ subject, until, by }) => ({ subject, until: instant(until), by })),
      deliveries: report.deliveries.map(({ notice, channel, state, tries, endedAt, error }) => ({
        notice: notice.id,
        kind: notice.kind,
        severity: notice.severity,
        subject: notice.subject,
        at: instant(notice.at),
        channel,
        state,
        tries,
        endedAt: instant(endedAt),
        error: error ?? null,
      })),
    });
    shell.print(renderAlerts(report, shell.style));
    return 0;
  });
}

/** Returns exit code 1 when a channel did not accept the notice. */
async function test(shell: Shell, channel: string | undefined): Promise<number> {
  return shell.withApp({}, async (app) => {
    const tests = await app.testAlerts(channel, shell.signal);
    shell.printJson({ channels: tests.map(({ error, ...rest }) => ({ ...rest, error: error ?? null })) });
    shell.print(renderChannelTests(tests, shell.style));
    return tests.every(({ error }) => error === undefined) ? 0 : 1;
  });
}
