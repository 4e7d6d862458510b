import type { BackupSummary, RestoreEffects, RestorePreview } from '../ports/store-backup.ts';
import { formatCount } from './amounts.ts';
import { cleanLine } from './terminal-text.ts';

/** Tables that an operator knows by a word. */
const shown: readonly (readonly [table: string, noun: string])[] = [
  ['ledger', 'managed user'],
  ['runs', 'run'],
  ['changes', 'change'],
  ['decisions', 'decision'],
  ['tokens', 'token pair'],
];

export function countRows(rows: BackupSummary['rows']): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function contents(rows: BackupSummary['rows']): string {
  const named = shown.filter(([table]) => (rows[table] ?? 0) > 0);
  if (named.length === 0) return 'no users, runs or tokens';
  return named.map(([table, noun]) => formatCount(rows[table] ?? 0, noun)).join(', ');
}

export function backupJson({ file, bytes, madeAt, version, database, migrations, rows }: BackupSummary) {
  return { file, bytes, madeAt, version, database, migration: migrations.at(-1) ?? null, rows };
}

/** Returns what a restore would do. */
export function renderRestorePreview({ backup, replaces }: RestorePreview): string {
  const { file, madeAt, version, database, rows } = backup;
  const now =
    Object.keys(replaces.rows).length === 0 ? 'is empty' : `has ${contents(replaces.rows)}, which are all replaced`;
  return [
    `${file}: complete, made ${cleanLine(madeAt)} by Rollcall ${cleanLine(version)} from ${database}`,
    `  it has ${contents(rows)}`,
    `${replaces.place} ${now}`,
  ].join('\n');
}

/** Returns what a restore did, and the steps that follow. */
export function renderRestored({ backup, replaces }: RestorePreview, effects: RestoreEffects): string {
  const { endedRuns, cancelledRequests, endedApprovals, endedHolds, tokens, paused } = effects;
  const ended = [
    formatCount(endedRuns, 'open run'),
    formatCount(cancelledRequests, 'waiting request'),
    formatCount(endedApprovals, 'unused approval'),
    formatCount(endedHolds, 'open hold'),
  ];
  const next = [
    ...tokens.map((name) => {
      const sync = /^source (.+)$/.exec(name)?.[1];
      if (sync !== undefined) return `Configure a new refresh token for the source of ${sync}.`;
      return `Configure a new refresh token for ${name}: "rollcall token status ${name}" explains why.`;
    }),
    ...paused.map((sync) => `Review "rollcall plan ${sync}", then run "rollcall resume ${sync}".`),
  ];
  return [
    `restored ${replaces.place} from the backup of ${cleanLine(backup.madeAt)} (${contents(backup.rows)})`,
    `Ended, because the platform may have newer data: ${ended.join(', ')}.`,
    'For 24 hours, every disable, enable, remove and e-mail change waits for approval.',
    ...(next.length === 0 ? [] : ['Next:', ...next.map((line, at) => `  ${at + 1}. ${line}`)]),
  ].join('\n');
}
