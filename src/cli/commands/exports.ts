import { InvalidArgumentError } from 'commander';
import { type ExportOrder, exportOrQueue, listExports } from '../../app/connections.ts';
import { formatCount, formatInstant, formatNumber } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { type ExportReport, exportView } from '../../views/exports.ts';
import type { CommandRow } from '../command.ts';
import { callerOf, dayOrInstant, type SignatureOptions, signatureOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';

export const exportCommands: readonly CommandRow[] = [
  { words: 'exports', meaning: 'show and run the exports of feedback and evaluations' },
  { words: 'exports list', meaning: 'show what each export has written, and when it runs next', run: showExports },
  {
    words: 'exports run',
    meaning: 'write what is new now: in a running deployment, otherwise here',
    arguments: [['<name>', 'name of the export']],
    options: [
      [
        '--from <day>',
        'write everything since this day (2026-01-31) again, in a new file; a table keeps one row of each',
        parseDay,
      ],
      ...signatureOptions,
    ],
    run: runOne,
  },
];

/** Parses a day (UTC), or an instant with its zone. */
function parseDay(text: string): number {
  const at = dayOrInstant(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31, or an instant such as 2026-01-31T08:00:00Z.');
}

async function showExports(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    const reports = await listExports(app);
    const text = reports.length === 0 ? 'No exports are configured.' : renderExports(reports, shell.style);
    return shell.answer({ exports: reports.map((one) => exportView(one)) }, text);
  });
}

interface RunOptions extends SignatureOptions {
  readonly from?: number;
}

async function runOne(shell: Shell, name: string, { from, ...options }: RunOptions): Promise<number> {
  const caller = await callerOf(shell, options);
  const order: ExportOrder = { ...caller, ...given({ readFrom: from }) };
  return shell.withApp({ hasEffect: true, mayPresentSeed: true }, async (app) => {
    const result = await exportOrQueue(app, name, { ...order, signal: shell.signal });
    if (result.kind === 'queued') {
      return shell.answer({ state: 'queued' }, `${name}: requested; the running deployment writes it within seconds`);
    }
    const { items, place } = result;
    const text =
      items === 0 ? `${name}: nothing new` : `${name}: ${formatCount(items, 'item')} written to ${cleanLine(place)}`;
    return shell.answer({ state: 'done', items, place }, text);
  });
}

/** One row for each export, and below it why it fails. */
export function renderExports(reports: readonly ExportReport[], { colors, command }: Style): string {
  const head = ['export', 'writes', 'items', 'newest item', 'last success', 'next'];
  const rows = reports.map((report) => {
    const { settings, state } = report;
    const { nextAt } = exportView(report);
    const at = (instant: number | undefined, missing: string) =>
      instant === undefined ? missing : formatInstant(instant);
    return [
      colors.bold(settings.name),
      settings.what,
      formatNumber(state?.items ?? 0),
      at(state?.lastItemAt, '–'),
      at(state?.successAt, 'never'),
      nextAt === null ? 'on request' : formatInstant(Date.parse(nextAt)),
    ];
  });
  const hints = reports.flatMap(({ settings: { name }, state }) => {
    if (state?.failure === undefined) return [];
    const times = formatCount(state.failures, 'failure');
    return [`${colors.red(`${name}: ${times}:`)} ${cleanLine(state.failure)} (${command(`exports run ${name}`)})`];
  });
  return [renderTable([head, ...rows]), ...hints].join('\n');
}
