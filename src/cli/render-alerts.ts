import { formatInstant } from '../core/run/instant.ts';
import type { AlertDelivery, AlertsReport, ChannelTest, Severity } from '../ports/alerts.ts';
import { renderTable } from './render-table.ts';
import type { Style } from './style.ts';
import { cleanLine } from './terminal-text.ts';

/** Renders the open problems, the channels, and the delivery of the latest notices. */
export function renderAlerts({ channels, standing, muted, deliveries }: AlertsReport, style: Style): string {
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
      : state === 'given-up'
        ? colors.red('given up')
        : colors.yellow(tries === 0 ? 'waiting' : `waiting, ${tries} tries`);
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
export function renderChannelTests(tests: readonly ChannelTest[], { colors }: Style): string {
  const rows = tests.map(({ channel, kind, error }) => [
    channel,
    kind,
    error === undefined ? colors.green('taken') : `${colors.red('failed')}: ${cleanLine(error)}`,
  ]);
  return renderTable(rows);
}
