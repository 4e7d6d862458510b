import type { QuietRequest } from '../../app/alerts.ts';
import { quietAlerts, testAlerts } from '../../app/alerts.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import type { AlertDelivery, AlertsReport, ChannelTest, Severity } from '../../ports/alerts.ts';
import { alertListView, quietedView } from '../../views/alerts.ts';
import type { Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';

export async function listAlerts(shell: Shell, { limit }: { readonly limit: number }): Promise<number> {
  return shell.withApp({}, async (app) => {
    const report = await app.alerts.report(limit);
    return shell.answer(alertListView(report), renderAlerts(report, shell.style));
  });
}

/** Returns exit code 1 when a channel did not accept the notice. */
export async function testChannels(shell: Shell, channel: string | undefined): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({}, async (app) => {
    const tests = await testAlerts(app, channel, { ...caller, signal: shell.signal });
    return shell.answer(
      { channels: tests.map(({ error, ...rest }) => ({ ...rest, error: error ?? null })) },
      renderChannelTests(tests, shell.style),
      tests.every(({ error }) => error === undefined) ? 0 : 1,
    );
  });
}

/** Renders the open problems, the channels, and the delivery of the latest notices. */
function renderAlerts({ channels, standing, muted, deliveries }: AlertsReport, style: Style): string {
  const { colors } = style;
  const wrong = standing.map(({ subject, code, severity, summary, since, acked }) => [
    colorOf(severity, style),
    `${subject.kind} ${subject.name}`,
    code,
    `since ${formatInstant(since)}`,
    cleanLine(acked === undefined ? summary : `(acknowledged by ${acked.by}) ${summary}`),
  ]);
  const shown = channels.map(({ name, kind, severities, syncs, afterMs }) => [
    name,
    kind,
    severities.join(', '),
    afterMs === 0 ? 'at once' : `after ${Math.round(afterMs / 60_000)} min`,
    syncs === undefined ? 'all syncs' : syncs.join(', '),
  ]);
  const silent = muted.map(({ subject, until, by }) => [
    `${subject.kind} ${subject.name}`,
    `until ${formatInstant(until)}`,
    cleanLine(`by ${by}`),
  ]);
  const parts = [
    section('Open problems', wrong, 'none'),
    ...(silent.length === 0 ? [] : [section('Muted', silent, '')]),
    section('Channels', shown, 'none: no alerts are sent; add "alerts" to the configuration'),
    section(
      'Notices',
      deliveries.map((delivery) => noticeRow(delivery, style)),
      'none yet',
    ),
  ];
  return parts.map(([title, body]) => `${colors.bold(title)}\n${body}`).join('\n\n');
}

function section(title: string, rows: readonly (readonly string[])[], empty: string): readonly [string, string] {
  return [title, rows.length === 0 ? `  ${empty}` : renderTable(rows, '  ')];
}

function noticeRow({ notice, channel, state, tries, error }: AlertDelivery, style: Style): readonly string[] {
  const { colors } = style;
  const { kind, severity, subject, at } = notice;
  const topics = [...notice.problems, ...notice.recovered].map(({ topic }) => topic).join(', ');
  const shown =
    state === 'delivered'
      ? colors.green('delivered')
      : state === 'given-up' || state === 'unconfirmed'
        ? colors.red(state.replace('-', ' '))
        : colors.yellow(tries === 0 ? 'waiting' : `waiting, ${countOf(tries, 'try', 'tries')}`);
  const what =
    kind === 'recovery'
      ? colors.green('recovered')
      : `${kind === 'reminder' ? 'still ' : ''}${colorOf(severity, style)}`;
  const why = error === undefined ? shown : `${shown}: ${cleanLine(error)}`;
  return [formatInstant(at), what, `${subject.kind} ${subject.name}`, topics, channel, why];
}

function colorOf(severity: Severity, { colors }: Style): string {
  if (severity === 'info') return severity;
  return severity === 'critical' ? colors.red(severity) : colors.yellow(severity);
}

/** Renders one line per channel: whether it accepted the test notice. */
function renderChannelTests(tests: readonly ChannelTest[], { colors }: Style): string {
  const rows = tests.map(({ channel, kind, error }) => [
    channel,
    kind,
    error === undefined ? colors.green('taken') : `${colors.red('failed')}: ${cleanLine(error)}`,
  ]);
  return renderTable(rows);
}

export function acknowledge(shell: Shell, name: string): Promise<number> {
  return quiet(shell, name, { kind: 'ack' });
}

export function mute(shell: Shell, name: string, { for: forMs }: { readonly for: number }): Promise<number> {
  return quiet(shell, name, { kind: 'mute', forMs });
}

export function unmute(shell: Shell, name: string): Promise<number> {
  return quiet(shell, name, { kind: 'unmute' });
}

async function quiet(shell: Shell, name: string, request: QuietRequest): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({ hasEffect: true }, async (app) => {
    const report = await quietAlerts(app, name, request, caller);
    const quieted = quietedView(report);
    shell.printJson(quieted);
    for (const { subject, open } of report.subjects) {
      const problems = countOf(open, 'open problem');
      const about = `${subject.kind} ${subject.name}`;
      const words = {
        ack: open === 0 ? `${about} has no open problem` : `${about}: ${problems} acknowledged`,
        mute: `${about} is muted until ${quieted.until}; ${problems}`,
        unmute: `${about} is not muted; ${problems}`,
      };
      shell.print(words[request.kind]);
    }
    return 0;
  });
}
