import type { ChangeState } from '../core/run/run.ts';
import { formatNumber } from './amounts.ts';
import type { AddCommand } from './command.ts';
import { runJson } from './json-reports.ts';
import { parseWholeNumber } from './parse-options.ts';
import { renderChanges } from './render-changes.ts';
import { renderAllFindings } from './render-findings.ts';
import { renderRawTexts } from './render-raw-texts.ts';
import { renderRun, shownReasons } from './render-run.ts';
import type { Shell } from './shell.ts';

interface ShowOptions {
  readonly failed?: boolean;
  readonly held?: boolean;
  readonly changes?: boolean;
  readonly findings?: boolean;
  readonly limit: number;
}

export const addShow: AddCommand = (program, host) => {
  program
    .command('show')
    .description('show everything about a run')
    .argument('<run>', 'id of the run, or the end of the id')
    .option('--failed', 'list the failed and unresolved changes, with their reasons')
    .option('--held', 'list the changes that a guard holds')
    .option('--changes', 'list every change')
    .option('--findings', 'list every finding, in the order in which the run made them')
    .option('--limit <n>', 'maximum number of changes', parseWholeNumber, 50)
    .action(host.action(show));
};

async function show(shell: Shell, id: string, options: ShowOptions): Promise<number> {
  const { limit } = options;
  return shell.withApp({}, async (app) => {
    const report = await app.show(id);
    const states = statesOf(options);
    if (options.findings === true && states === undefined) {
      shell.printJson(runJson(report));
      shell.print(renderAllFindings(report));
      return 0;
    }
    const rawTexts = shell.isRaw ? await app.rawTexts(report.run.id) : undefined;
    const raw = rawTexts === undefined ? {} : { rawTexts };
    if (states === undefined) {
      shell.printJson({ ...runJson(report), ...raw });
      shell.print(renderRun(report, shell.style));
      if (rawTexts !== undefined) shell.print(renderRawTexts(rawTexts));
      return 0;
    }
    const query = states === 'all' ? {} : { states };
    const found = await app.changes(report.run.id, { ...query, limit: limit + 1 });
    const changes = found.slice(0, limit);
    shell.printJson({ ...runJson(report), changes, ...raw });
    shell.print(renderRun(report, shell.style));
    const more = found.length > limit ? `\n… and more than these ${formatNumber(limit)}: raise --limit` : '';
    shell.print(
      `\n${changes.length === 0 ? 'no such changes' : renderChanges(changes, shownReasons(report), shell.style)}${more}`,
    );
    if (rawTexts !== undefined) shell.print(renderRawTexts(rawTexts));
    return 0;
  });
}

/** Undefined: no changes were requested. */
function statesOf({ failed, held, changes }: ShowOptions): readonly ChangeState[] | 'all' | undefined {
  if (changes === true) return 'all';
  if (failed !== true && held !== true) return undefined;
  return [
    ...(failed === true ? (['failed', 'unresolved'] as const) : []),
    ...(held === true ? (['held'] as const) : []),
  ];
}
