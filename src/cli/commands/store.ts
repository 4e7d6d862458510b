import { countUnreadable, describeUnreadable, eraseUnreadable, isDroppable, signingKeys } from '../../app/privacy.ts';
import { RollcallError, usageError } from '../../core/run/errors.ts';
import { formatCount, formatInstant } from '../../core/run/formats.ts';
import type { UnreadableValues } from '../../ports/store.ts';
import type { BackupSummary, RestoreEffects, RestorePreview } from '../../ports/store-operations.ts';
import { signingKeyView } from '../../views/connections.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, renderTable } from '../terminal.ts';

export async function restoreStore(
  shell: Shell,
  name: string,
  { replace = false }: { readonly replace?: boolean },
): Promise<number> {
  const { backups } = shell.io;
  const caller = await shell.caller();
  const file = fromHere(shell.io, name);
  const preview = await backups.preview(shell.configPath, file);
  shell.print(renderRestorePreview(preview));
  if (Object.keys(preview.replaces.rows).length > 0) {
    if (!replace) {
      const message = `the store ${preview.replaces.place} is not empty. Nothing was changed. To replace its content, make a backup of it first, then add --replace.`;
      throw usageError(message);
    }
    if (!(await shell.confirm('Replace the store?'))) {
      throw new RollcallError('nothing was restored', { code: 'CANCELLED' });
    }
  }
  const { backup, replaces, effects } = await backups.restore(shell.configPath, file, caller);
  const done = { restored: true, store: replaces.place, backup: backupJson(backup), replaced: replaces.rows };
  return shell.answer({ ...done, ...effects }, renderRestored({ backup, replaces }, effects));
}

/** Tables that an operator knows by a word. */
const shown: readonly (readonly [table: string, noun: string])[] = [
  ['ledger', 'managed user'],
  ['runs', 'run'],
  ['changes', 'change'],
  ['decisions', 'decision'],
  ['tokens', 'token pair'],
];

function contents(rows: BackupSummary['rows']): string {
  const named = shown.filter(([table]) => (rows[table] ?? 0) > 0);
  if (named.length === 0) return 'no users, runs or tokens';
  return named.map(([table, noun]) => formatCount(rows[table] ?? 0, noun)).join(', ');
}

function backupJson({ file, bytes, madeAt, version, database, migrations, rows }: BackupSummary) {
  return { file, bytes, madeAt, version, database, migration: migrations.at(-1) ?? null, rows };
}

function renderRestorePreview({ backup, replaces }: RestorePreview): string {
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
function renderRestored({ backup, replaces }: RestorePreview, effects: RestoreEffects): string {
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

export async function moveStore(shell: Shell, from: string): Promise<number> {
  const caller = await shell.caller();
  const question =
    'Move all that the other store has into the configured one? No process uses the other one afterwards.';
  if (!(await shell.confirm(question))) {
    throw new RollcallError('nothing was moved', { code: 'CANCELLED' });
  }
  const { from: had, place, isDone } = await shell.io.backups.move(shell.configPath, from, caller);
  const what = isDone ? `${had.place} was moved to ${place} before` : `moved ${had.place} to ${place}`;
  return shell.answer(
    { moved: true, isDone, from: had.place, store: place, rows: had.rows },
    `${what} (${contents(had.rows)})\nEvery process refuses the former store now. Start Rollcall on the new one.`,
  );
}

export async function migrateStore(shell: Shell): Promise<number> {
  const { place, from, to, applied } = await shell.io.migrateStore(shell.configPath);
  const went = from === undefined ? 'was new and is now at' : `went from ${from} to`;
  const text =
    applied.length === 0
      ? `nothing to do: the store ${place} is at ${to}`
      : `the store ${place} ${went} ${to} (${formatCount(applied.length, 'migration')}: ${applied.join(', ')})`;
  return shell.answer({ store: place, from: from ?? null, to, applied }, text);
}

export async function backUp(shell: Shell, file: string): Promise<number> {
  const caller = await shell.caller();
  const summary = await shell.io.backups.create(shell.configPath, fromHere(shell.io, file), caller);
  const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0);
  return shell.answer(
    backupJson(summary),
    [
      `wrote ${summary.file} (${formatCount(rows, 'row')}, ${formatCount(summary.bytes, 'byte')}) and read it back: it is complete`,
      'The file contains personal data, and the tokens as they are in the store. Store it separately from encryptionKey, which a restore needs.',
    ].join('\n'),
  );
}

const tokensStay =
  'Token pairs stay until a new first refresh token replaces them: put one into the configuration ("rollcall token status" says where).';

export async function showKeys(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    const unreadable = await countUnreadable(app);
    return shell.answer(
      { ok: unreadable.length === 0, unreadable },
      unreadable.length === 0 ? 'Every stored value can be opened.' : explain(unreadable),
      unreadable.length === 0 ? 0 : 1,
    );
  });
}

export async function showSigningKeys(shell: Shell, { new: isNew }: { readonly new?: true }): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({}, async (app) => {
    const keys = await signingKeys(app, caller, isNew === true);
    const head = ['KEY', 'SINCE', 'SIGNS', 'PUBLIC KEY (Ed25519, SPKI IN BASE64)'].map(shell.style.colors.dim);
    const rows = keys.map((key) => [key.id, formatInstant(key.at), key.isCurrent ? 'yes' : 'no longer', key.public]);
    return shell.answer({ keys: keys.map(signingKeyView) }, renderTable([head, ...rows]));
  });
}

export async function dropUnreadable(shell: Shell): Promise<number> {
  const caller = await shell.caller();
  return shell.withApp({}, async (app) => {
    const unreadable = await countUnreadable(app);
    if (unreadable.some(isDroppable)) {
      shell.print(`${explain(unreadable)}\n\n${consequences(unreadable)}`);
      if (!(await shell.confirm('Drop these values?'))) {
        throw new RollcallError('nothing was dropped', { code: 'CANCELLED' });
      }
    }
    const dropped = await eraseUnreadable(app, caller);
    return shell.answer(
      { dropped },
      dropped.length > 0 ? 'Dropped.' : `Nothing to drop.${unreadable.length === 0 ? '' : `\n${tokensStay}`}`,
    );
  });
}

function explain(unreadable: readonly UnreadableValues[]): string {
  return [
    'No configured key opens:',
    ...unreadable.map((one) => `  sealed with the key ${one.keyId}: ${describeUnreadable(one)}`),
    'If you still have a key, add it to formerEncryptionKeys: then nothing is lost.',
  ].join('\n');
}

function consequences(unreadable: readonly UnreadableValues[]): string {
  const has = (part: Exclude<keyof UnreadableValues, 'keyId'>): boolean => unreadable.some((one) => one[part] > 0);
  return [
    'Dropping them cannot be undone. Kept: who owns a user, that Rollcall disabled or removed it, and counts of changes.',
    ...(has('ledger')
      ? [
          'The next run sees write-only fields (job, phoneNumber, seniority) for the first time: it writes them again, and a guard may hold them.',
          'Values that the platform reformats are written and reported once more.',
        ]
      : []),
    ...(has('changes')
      ? [
          'Changes that wait for approval are dropped, and the next run plans them again. Earlier changes show no values.',
        ]
      : []),
    ...(has('rawTexts') ? ['"rollcall show RUN --raw" shows nothing for these runs.'] : []),
    ...(has('directories')
      ? ['People of these pages are not found by name until the next complete read of their sync.']
      : []),
    ...(has('tokens') ? [tokensStay] : []),
    ...(has('forgotten')
      ? ['Records of forgotten people are dropped: a person who was removed with blacklist can be created again.']
      : []),
  ].join('\n');
}
