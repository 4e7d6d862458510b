import type { OpenTransaction } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { rawContext } from './raw-texts.ts';

/** What a text shows instead of an identification that was forgotten. */
const erased = '(forgotten)';

/**
 * Removes an identification from what names it in passing: findings about others, reasons of runs, requests, notices
 * and raw answers of other systems.
 */
export async function eraseMentions(db: OpenTransaction, keys: KeyRing, identification: string): Promise<void> {
  const names = mentionOf(identification);
  const without = (text: string): string => text.replaceAll(names, erased);
  const like = `%${likeText(JSON.stringify(identification).slice(1, -1))}%`;
  const plainLike = `%${likeText(identification)}%`;

  const findings = await db
    .selectFrom('findings')
    .selectAll()
    .where((eb) => eb('message', 'like', plainLike))
    .execute();
  for (const { run, number, message } of findings) {
    await db
      .updateTable('findings')
      .set({ message: without(message) })
      .where('run', '=', run)
      .where('number', '=', number)
      .execute();
  }
  const reasons = await db.selectFrom('runs').select(['id', 'reason']).where('reason', 'like', plainLike).execute();
  for (const { id, reason } of reasons) {
    await db
      .updateTable('runs')
      .set({ reason: without(reason ?? '') })
      .where('id', '=', id)
      .execute();
  }
  const changes = await db
    .selectFrom('changes')
    .select(['plan', 'identification', 'state_reason'])
    .where('state_reason', 'like', plainLike)
    .execute();
  for (const { plan, identification: name, state_reason: reason } of changes) {
    await db
      .updateTable('changes')
      .set({ state_reason: without(reason ?? '') })
      .where('plan', '=', plan)
      .where('identification', '=', name)
      .execute();
  }
  for (const table of ['triggers', 'runs'] as const) {
    const rows = await db.selectFrom(table).select(['id', 'scope']).where('scope', 'like', like).execute();
    for (const { id, scope } of rows) {
      const set = { scope: scopeWithout(scope, identification) };
      await db.updateTable(table).set(set).where('id', '=', id).execute();
    }
  }
  // A preview is short-lived, and can be made again.
  await db
    .deleteFrom('previews')
    .where((eb) => eb.or([eb('scope', 'like', like), eb('report', 'like', like)]))
    .execute();
  await eraseNotices(db, like, without);
  await eraseRawTexts(db, keys, names);
}

async function eraseNotices(db: OpenTransaction, like: string, without: (text: string) => string): Promise<void> {
  const notices = await db
    .selectFrom('alert_deliveries')
    .select(['notice', 'channel', 'body'])
    .where('body', 'like', like)
    .execute();
  for (const { notice, channel, body } of notices) {
    await db
      .updateTable('alert_deliveries')
      .set({ body: without(body) })
      .where('notice', '=', notice)
      .where('channel', '=', channel)
      .execute();
  }
  const states = await db
    .selectFrom('alert_states')
    .select(['subject', 'state'])
    .where('state', 'like', like)
    .execute();
  for (const { subject, state } of states) {
    await db
      .updateTable('alert_states')
      .set({ state: without(state) })
      .where('subject', '=', subject)
      .execute();
  }
}

/** A text of another system that names the person is deleted, because the rest may be about the person too. */
async function eraseRawTexts(db: OpenTransaction, keys: KeyRing, names: RegExp): Promise<void> {
  const rows = await db.selectFrom('raw_texts').selectAll().execute();
  for (const { run, number, sealed } of rows) {
    const text = keys.open(sealed, rawContext(run, number));
    if (text.search(names) === -1) continue;
    await db.deleteFrom('raw_texts').where('run', '=', run).where('number', '=', number).execute();
  }
}

/** Finds the identification as a whole word, so that `E1` does not match in `E12`. */
export function mentionOf(identification: string): RegExp {
  const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const forms = new Set([identification, JSON.stringify(identification).slice(1, -1)]);
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${[...forms].map(quoted).join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
}

/**
 * Returns the text for a `like` pattern; both databases use a backslash only when it is declared, so `_` matches any.
 */
export function likeText(text: string): string {
  return text.replace(/[%\\]/g, '_');
}

function scopeWithout(scope: string, identification: string): string {
  const value = JSON.parse(scope) as { readonly kind: string; readonly identifications?: readonly string[] };
  const { identifications } = value;
  if (identifications === undefined) return scope;
  return JSON.stringify({ ...value, identifications: identifications.filter((name) => name !== identification) });
}
