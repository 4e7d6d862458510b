import type { FieldName } from '../../core/person/fields.ts';
import type { User } from '../../core/person/user.ts';
import { PlatformError } from '../../core/run/errors.ts';
import { ageOf } from '../../core/run/formats.ts';
import { type Dialect, monthLanguages } from '../../core/run/settings.ts';
import type { LearnLine } from '../../ports/api.ts';
import { classifyFileStatus } from '../user-file.ts';
import { emailOf, endWords, type FileEnd, type Lab, nobodyOf, Stopped, testNames, unique } from './lab.ts';
import type { Experiment } from './readings.ts';
import { languagesOf, withWord } from './verdicts.ts';

/** The first file: nothing else is written before two scans have shown that it touched no other user. */
export const firstWrite: Experiment = {
  settings: ['upload.encoding', 'status.done', 'status.pending', 'csv.header'],
  question: 'Is a file of one row accepted, what does its status say, and when does its user show?',
  writes: 'I of the test user, in the dialect as configured',
  run: sendFirstFile,
};

export const writings: readonly Experiment[] = [
  {
    settings: ['userId', 'put'],
    question: 'Which `userId` does an update take, and does it clear what it leaves out?',
    writes: 'PUT of the test user; never an id that another user has as id, uid or identification',
    run: findUserId,
  },
  {
    settings: ['csv.header'],
    question: 'Is the full header, which is configured, necessary?',
    writes: 'U of the test user, with used columns',
    isNeeded: ({ csv }) => csv.header === 'full',
    run: findHeader,
  },
  {
    settings: ['csv.emptyCell'],
    question: 'Does an empty cell clear a field?',
    writes: 'U of the test user, with one empty cell',
    run: findEmptyCell,
  },
  {
    settings: ['csv.dateFormat', 'monthNames'],
    question: 'In which format does a file carry dates, and how are they shown?',
    writes: 'U of the test user, with two dates, until a format is read as the day that was meant',
    run: findDates,
  },
  {
    settings: ['enableBy'],
    question: 'Which command enables a disabled user?',
    writes: 'D of the test user, then U or I',
    run: findEnable,
  },
  {
    settings: ['status.failed'],
    question: 'What does the status of a failed file say?',
    writes: 'D of an identification that no user has',
    run: findFailure,
  },
];

/** The operator declined a write. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

async function send(lab: Lab, ...row: Parameters<Lab['file']>): Promise<FileEnd> {
  const end = await lab.file(...row);
  if (end === undefined) throw new Declined();
  return end;
}

const endOf = (end: FileEnd): number | undefined => ('endedAt' in end ? end.endedAt : undefined);

/* ---- the first file ---- */

/** Readable fields without a meaning of their own. A platform may ignore some, so several are written. */
const plainFields = ['area', 'project', 'account'] as const satisfies readonly FieldName[];
const refusalsOfEncoding = [400, 406, 415, 422];

async function sendFirstFile(lab: Lab): Promise<readonly LearnLine[]> {
  const { user } = lab.order;
  const { upload, csv } = lab.dialect;
  // A platform that takes JSON text must never get base64, which it could read as a file without `command`.
  const encodings = unique([upload.encoding, 'multipart', 'json', 'json-base64'] as const);
  const after = { ...testNames, email: emailOf(user), ...fieldValues('First') };
  let end: FileEnd | undefined;
  const refused: string[] = [];
  for (const encoding of encodings) {
    lab.use({ upload: { ...upload, encoding } });
    end = await send(lab, `I ${user}`, { kind: 'create', after });
    if (end.kind !== 'refused') break;
    refused.push(`${encoding} (${end.status})`);
    if (!refusalsOfEncoding.includes(end.status) || (await isThere(lab))) break;
  }
  if (end === undefined || end.kind === 'refused')
    throw new Stopped(`the first file was refused: ${refused.join(', ')}`);
  let shown = await lab.shown(() => true, endOf(end));
  const header = csv.header;
  if (shown === undefined && header === 'used') {
    await lab.guard();
    lab.use({ csv: { ...csv, header: 'full' } });
    end = await send(lab, `I ${user}, with the full header`, { kind: 'create', after });
    shown = await lab.shown(() => true, endOf(end));
  }
  if (shown === undefined || end.kind === 'refused') {
    const advice =
      'Compare the file format of the platform with dialect.csv (delimiter, header), which learn never tries';
    throw new Stopped(`the first file had no effect: ${endWords(end)}. ${advice}`);
  }
  const fields = shown.fields;
  lab.notes.visible = plainFields.filter((name) => fields[name] !== undefined);
  const { encoding } = lab.dialect.upload;
  const used = lab.dialect.csv.header;
  const why = refused.length === 0 ? '' : `, after a refusal of ${refused.join(', ')}`;
  const headerLine: LearnLine = {
    setting: 'csv.header',
    value: used,
    evidence:
      used === header ? 'a file with the columns in use was applied' : 'only a file with all columns was applied',
  };
  return [
    { setting: 'upload.encoding', value: encoding, evidence: `the platform accepted a file as ${encoding}${why}` },
    ...(header === 'full' ? [] : [headerLine]),
    ...(await learnWords(lab, end)),
  ];
}

async function learnWords(lab: Lab, end: Exclude<FileEnd, { kind: 'refused' }>): Promise<readonly LearnLine[]> {
  const unknown = (evidence: string): LearnLine[] => [{ setting: 'status.done', evidence }];
  if (end.kind === 'no-status') return unknown(`${endWords(end)}, so users are read back`);
  const [first = ''] = end.words;
  const word = await lab.lastWord(end.fileId, first);
  if (word === undefined) return unknown(`the file was applied, and ${endWords(end)}`);
  const before = end.words.filter((one) => one !== word && one !== '');
  const { done, failed, pending, path } = lab.dialect.status;
  const status = {
    path,
    done: withWord(word, done, before),
    failed: failed.filter((one) => withWord(one, [word]).length > 1),
    pending: before.reduce((list, one) => withWord(one, list, [word]), pending),
  };
  lab.use({ status });
  const lines: LearnLine[] = [
    { setting: 'status.done', value: status.done, evidence: `the row was applied, and the status was ${quoted(word)}` },
  ];
  if (before.length > 0) {
    const evidence = `before, it was ${before.map(quoted).join(', then ')}`;
    lines.push({ setting: 'status.pending', value: status.pending, evidence });
  }
  if (status.failed.length < failed.length) {
    const evidence = `${quoted(word)} is no failure, because the row was applied`;
    lines.push({ setting: 'status.failed', value: status.failed, evidence });
  }
  return lines;
}

async function isThere(lab: Lab): Promise<boolean> {
  return (await lab.platform().find(lab.order.user, lab.order.signal)).found !== false;
}

/* ---- the other writes ---- */

async function findUserId(lab: Lab): Promise<readonly LearnLine[]> {
  const { user: identification, signal } = lab.order;
  const user = await currentUser(lab);
  const [written, kept] = plainFields.filter((name) => user.fields[name] !== undefined);
  if (written === undefined) return unknownBoth('the platform shows none of the fields that were written');
  const seen: string[] = [];
  for (const kind of unique<Dialect['userId']>([lab.dialect.userId, 'id', 'uid', 'identification'])) {
    if (kind === 'created') continue;
    const value = kind === 'identification' ? (user.rawIdentification ?? user.identification) : user[kind];
    if (value === undefined) continue;
    if (lab.notes.taken.has(value)) {
      seen.push(`its ${kind} was not sent, because another user has the same id, uid or identification`);
      continue;
    }
    const fields = { ...testNames, [written]: fieldValues('Put')[written] };
    const write = () => lab.platform({ userId: kind }).update(user, { identification, fields }, signal);
    const sent = await lab.write(`PUT of ${identification}, with its ${kind} as userId`, () =>
      write().then(() => 'accepted' as const, refusalStatus),
    );
    if (sent === undefined) throw new Declined();
    const changed =
      sent === 'accepted'
        ? await lab.shown(({ fields: now }) => differs(now[written], user.fields[written]))
        : undefined;
    if (changed === undefined) {
      seen.push(sent === 'accepted' ? `its ${kind} had no effect` : `its ${kind} was refused (${sent})`);
      continue;
    }
    lab.use({ userId: kind });
    const line: LearnLine = {
      setting: 'userId',
      value: kind,
      evidence: [...seen, `an update with its ${kind} was applied`].join('; '),
    };
    if (kept === undefined)
      return [line, { setting: 'put', evidence: 'the platform shows too few of the written fields' }];
    const isKept = changed.fields[kept] !== undefined;
    lab.use({ put: isKept ? 'merges' : 'replaces' });
    const fate = isKept ? 'kept' : 'cleared';
    return [
      line,
      { setting: 'put', value: lab.dialect.put, evidence: `the update left ${kept} out, and it was ${fate}` },
    ];
  }
  return unknownBoth(seen.join('; '));
}

function unknownBoth(evidence: string): readonly LearnLine[] {
  return [
    { setting: 'userId', evidence },
    { setting: 'put', evidence: 'no update was applied' },
  ];
}

function refusalStatus(error: unknown): number {
  if (error instanceof PlatformError && error.effect === 'none' && error.status !== undefined) return error.status;
  throw error;
}

async function findHeader(lab: Lab): Promise<readonly LearnLine[]> {
  const { csv } = lab.dialect;
  const user = await currentUser(lab);
  const field = plainFields.find((name) => user.fields[name] !== undefined) ?? 'area';
  const after = { [field]: fieldValues('Used')[field] };
  const end = await send(lab, `U ${lab.order.user}, with used columns`, {
    ...{ kind: 'update', after },
    dialect: { csv: { ...csv, header: 'used' } },
  });
  const changed = await lab.shown(({ fields }) => differs(fields[field], user.fields[field]), endOf(end));
  const value = changed === undefined ? 'full' : 'used';
  lab.use({ csv: { ...csv, header: value } });
  const evidence =
    value === 'used' ? 'a file with the columns in use was applied' : `used columns had no effect: ${endWords(end)}`;
  return [{ setting: 'csv.header', value, evidence }];
}

async function findEmptyCell(lab: Lab): Promise<readonly LearnLine[]> {
  const setting = 'csv.emptyCell';
  const user = await currentUser(lab);
  const seen = plainFields.filter((name) => lab.notes.visible.includes(name));
  const emptied = seen.find((name) => user.fields[name] !== undefined);
  const other = seen.find((name) => name !== emptied);
  if (emptied === undefined || other === undefined) return [{ setting, evidence: 'the platform shows too few fields' }];
  const after = { [emptied]: '', [other]: fieldValues('Cell')[other] };
  const end = await send(lab, `U ${lab.order.user}, with an empty cell`, { kind: 'update', after });
  const changed = await lab.shown(({ fields }) => differs(fields[other], user.fields[other]), endOf(end));
  if (changed === undefined) return [{ setting, evidence: `the row had no effect: ${endWords(end)}` }];
  const value = changed.fields[emptied] === undefined ? 'clears' : 'keeps';
  lab.use({ csv: { ...lab.dialect.csv, emptyCell: value } });
  const fate = value === 'clears' ? 'cleared' : 'kept';
  return [{ setting, value, evidence: `the cell of ${emptied} was empty, and the field was ${fate}` }];
}

const dateFormats = ['yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy'];

async function findDates(lab: Lab): Promise<readonly LearnLine[]> {
  const setting = 'csv.dateFormat';
  const { csv } = lab.dialect;
  const seen: string[] = [];
  for (const [i, dateFormat] of unique([csv.dateFormat, ...dateFormats]).entries()) {
    // December has another name in each language, and no month has such a day's number.
    const [orgEntryDate, birthDate] = [`2021-12-${20 + i}`, `1990-12-${20 + i}`];
    const end = await send(lab, `U ${lab.order.user}, with dates as ${dateFormat}`, {
      ...{ kind: 'update', after: { orgEntryDate, birthDate } },
      dialect: { csv: { ...csv, dateFormat } },
    });
    const isDate = ({ fields }: User) => fields.orgEntryDate === orgEntryDate || fields.birthDate === birthDate;
    if ((await lab.shown(isDate, endOf(end))) === undefined) {
      seen.push(`${dateFormat} had no effect (${endWords(end)})`);
      continue;
    }
    lab.use({ csv: { ...csv, dateFormat } });
    const evidence = [...seen, `dates in a file as ${dateFormat} were read as the same days`].join('; ');
    return [{ setting, value: dateFormat, evidence }, await findLanguages(lab)];
  }
  return [{ setting, evidence: seen.join('; ') }, await findLanguages(lab)];
}

async function findLanguages(lab: Lab): Promise<LearnLine> {
  const { orgEntryDate } = await lab.raw();
  const own = typeof orgEntryDate === 'string' && orgEntryDate !== '' ? [orgEntryDate] : [];
  const shown = [...own, ...lab.notes.dates];
  const setting = 'monthNames';
  if (shown.length === 0) return { setting, evidence: 'no user shows a hire date' };
  const needed = languagesOf(shown);
  const configured = lab.order.connection.dialect.monthNames;
  const value = monthLanguages.filter((language) => needed.includes(language) || configured.includes(language));
  const example = own.map((text) => `, such as ${quoted(text)}`).join('');
  const names = needed.length === 0 ? 'without names of months' : `with names of months in ${needed.join(', ')}`;
  return { setting, value, evidence: `hire dates of ${shown.length} users are shown ${names}${example}` };
}

async function findEnable(lab: Lab): Promise<readonly LearnLine[]> {
  const setting = 'enableBy';
  const { user } = lab.order;
  const off = await send(lab, `D ${user}`, { kind: 'disable' });
  const isOff = await lab.shown(({ enabled }) => !enabled, endOf(off));
  if (isOff === undefined) return [{ setting, evidence: `D did not disable the user: ${endWords(off)}` }];
  const seen: string[] = [];
  for (const command of unique<Dialect['enableBy']>([lab.dialect.enableBy, 'U', 'I'])) {
    const end = await send(lab, `${command} ${user}`, { kind: 'enable', dialect: { enableBy: command } });
    if (await lab.shown(({ enabled }) => enabled, endOf(end))) {
      lab.use({ enableBy: command });
      return [{ setting, value: command, evidence: [...seen, `${command} enabled the disabled user`].join('; ') }];
    }
    seen.push(`${command} did not enable it (${endWords(end)})`);
  }
  return [{ setting, evidence: seen.join('; ') }];
}

async function findFailure(lab: Lab): Promise<readonly LearnLine[]> {
  const setting = 'status.failed';
  const nobody = nobodyOf(lab);
  const end = await send(lab, `D ${nobody}, which no user has`, { kind: 'disable', identification: nobody });
  if (end.kind !== 'ended') return [{ setting, evidence: endWords(end) }];
  const word = end.words.at(-1) ?? '';
  const { status } = lab.dialect;
  const { kind } = classifyFileStatus(word, status);
  if (kind === 'done') return [{ setting, evidence: `a file with a row that must fail also ends as ${quoted(word)}` }];
  const failed = withWord(word, status.failed);
  lab.use({ status: { ...status, failed } });
  return [{ setting, value: failed, evidence: `a file with a row that must fail ended as ${quoted(word)}` }];
}

/* ---- small helpers of the experiments ---- */

async function currentUser(lab: Lab): Promise<User> {
  const user = await lab.shown(() => true);
  if (user === undefined) throw new Stopped('the test user is no longer shown');
  return user;
}

/** Returns texts that differ in their first letter, because a platform may cut text. */
function fieldValues(word: 'First' | 'Put' | 'Used' | 'Cell'): Record<(typeof plainFields)[number], string> {
  return { area: word, project: word, account: word };
}

function differs(now: string | undefined, before: string | undefined): boolean {
  return now !== undefined && now !== before;
}

function quoted(word: string): string {
  return JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word);
}

/** How late writes showed, after all experiments. */
export function latenessOf(latestMs: number): string {
  return latestMs < 2000 ? 'writes showed at once' : `a write showed ${ageOf(latestMs)} after the end of its file`;
}
