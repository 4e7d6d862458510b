import type { FieldName, User } from '../../core/person/fields.ts';
import { PlatformError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { type Dialect, monthLanguages } from '../../core/run/settings.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { assumedLifeMs } from '../../drivers/http/token-answer.ts';
import type { LearnedSetting, LearnedValue, LearnLine } from '../../ports/api.ts';
import { callOperation } from '../client/calls.ts';
import { openPlatformClient } from '../client/client.ts';
import { fixedToken } from '../client/defaults.ts';
import { claimsOf } from '../tokens/status.ts';
import { classifyFileStatus } from '../user-file.ts';
import { endWords, type Lab, type SentFile, Stopped, testNames } from './lab.ts';
import { languagesOf, largestPage, type PageProbe, placeOfParameters, unitOfLife, withWord } from './verdicts.ts';

type Finding = Omit<LearnLine, 'setting'>;
/** In the order of the experiment's settings. Undefined: nothing was seen that concerns the setting. */
type Findings = readonly (Finding | undefined)[];

/** One thing to find out. */
export interface Experiment {
  readonly settings: readonly LearnedSetting[];
  /** What it asks the platform. */
  readonly question: string;
  /** What it writes for that. Absent: it only reads. */
  readonly writes?: string;
  /** Absent: always. */
  readonly isNeeded?: (configured: Dialect) => boolean;
  /** Makes it and reads the answer. */
  run(lab: Lab): Promise<Findings>;
}

const largerPages = [1000, 2000, 5000];
const smallerPages = [500, 200, 100, 50, 10];
/** A page that takes longer is large enough. */
const slowPageMs = 5000;

/** Harmless reads. */
export const readings: readonly Experiment[] = [
  {
    settings: ['search.parameters'],
    question: 'Does a search read its parameters from the query or from the body?',
    async run(lab) {
      const query = { searchString: lab.nobody, enabled: false, page: 0, size: 1 };
      const value = placeOfParameters(await lab.search('query', query), await lab.search('body', query));
      if (value === undefined) return [{ evidence: 'query and body gave the same answer' }];
      const other = value === 'query' ? 'body' : 'query';
      const evidence = `a search with parameters in the ${value} was filtered; with parameters in the ${other} it was refused or not filtered`;
      return [{ value, evidence }];
    },
  },
  {
    settings: ['search.pageSize'],
    question: 'How many users does a page of 1,000 or more return?',
    async run(lab) {
      const { clock } = lab.order.connection;
      const probes: PageProbe[] = [];
      const ask = async (asked: number) => {
        const beganAt = clock.now();
        const query = { enabled: false, page: 0, size: asked, orderBy: 'id', direction: 'ASC' };
        const seen = await lab.search(lab.dialect.search.parameters, query);
        probes.push({ asked, seen });
        if (seen === 'refused') return 'refused';
        lab.dates = seen.records.flatMap((record) => datesOf(isRecord(record) ? record : {}));
        const isWhole = seen.rows === asked && asked < (seen.total ?? 0);
        return isWhole && clock.now() - beganAt < slowPageMs ? 'whole' : 'cut';
      };
      let seen = '';
      for (const size of largerPages) {
        seen = await ask(size);
        if (seen !== 'whole') break;
      }
      if (probes.length === 1 && seen === 'refused') {
        for (const size of smallerPages) if ((await ask(size)) !== 'refused') break;
      }
      const { size, evidence } = largestPage(probes);
      return [{ ...given({ value: size }), evidence }];
    },
  },
  {
    settings: ['rolesToken'],
    question: 'Which token reads the roles?',
    async run({ order: { connection, tokens, signal } }) {
      const { secret } = await tokens.current(signal);
      // A refused token must not be renewed here: it may be the wrong one for roles, and is right for all else.
      const client = openPlatformClient({ ...connection, tokens: fixedToken(secret) });
      const reads = async (token: Dialect['rolesToken']): Promise<boolean> => {
        if (token === 'application' && connection.applicationToken === undefined) return false;
        try {
          await callOperation(client, 'roles', { token, finalStatuses: [400, 401, 403, 500] }, signal);
          return true;
        } catch (error) {
          if (!(error instanceof PlatformError) || error.status === undefined) throw error;
          return false;
        }
      };
      try {
        for (const value of new Set([connection.dialect.rolesToken, 'access', 'application'] as const)) {
          if (await reads(value)) return [{ value, evidence: `the ${value} token reads the roles` }];
        }
      } finally {
        await client.close();
      }
      return [{ evidence: 'no token of this connection can read the roles' }];
    },
  },
  {
    settings: ['expiresIn'],
    question: 'What does `expires_in` of the stored token mean?',
    async run({ order: { connection, tokens, signal } }) {
      const { state, issuedAt, expiresAt } = await tokens.status();
      if (state === 'static') return [{ evidence: 'the access token is configured, so no token is exchanged' }];
      const storedMs = issuedAt === undefined || expiresAt === undefined ? 0 : expiresAt - issuedAt;
      if (storedMs <= 0 || storedMs === assumedLifeMs) {
        return [{ evidence: 'the platform did not state the lifetime of the stored token' }];
      }
      const told = connection.dialect.expiresIn === 'seconds' ? storedMs / 1000 : storedMs;
      const { iat, exp } = claimsOf((await tokens.current(signal)).secret);
      const lifeMs = iat === undefined || exp === undefined ? undefined : exp - iat;
      const acceptedAgeMs = connection.clock.now() - (issuedAt ?? 0);
      const { unit, evidence } = unitOfLife(told, { lifeMs, acceptedAgeMs });
      return [{ value: unit, evidence }];
    },
  },
];

/** Readable fields without a meaning of their own. A platform may ignore some, so several are written. */
const plainFields = ['area', 'project', 'account'] as const satisfies readonly FieldName[];
const refusalsOfEncoding = [400, 406, 415, 422];

/** The first file: nothing else is written before two scans have shown that it touched no other user. */
export const firstWrite: Experiment = {
  settings: ['upload.encoding', 'csv.header', 'status.done', 'status.pending', 'status.failed'],
  question: 'Does the platform accept a file of one row, which status does it report, and when does the user appear?',
  writes: 'I of the test user, in the dialect as configured',
  async run(lab) {
    const { user } = lab.order;
    const { header } = lab.dialect.csv;
    // Texts of the experiments differ in their first letter, because a platform may cut text.
    const plain = { area: 'First', project: 'First', account: 'First' };
    const row = { kind: 'create', after: { ...testNames, email: emailOf(user), ...plain } } as const;
    const refused: string[] = [];
    let sent: SentFile | undefined;
    // A platform that takes JSON text must never get base64, which it could read as a file without `command`.
    for (const encoding of new Set([lab.dialect.upload.encoding, 'multipart', 'json', 'json-base64'] as const)) {
      lab.use('upload.encoding', encoding);
      sent = await lab.send(`I ${user}`, row, isAnything);
      if (sent.end.kind !== 'refused') break;
      refused.push(`${encoding} (${sent.end.status})`);
      if (!refusalsOfEncoding.includes(sent.end.status) || (await lab.find(user)).found !== false) break;
    }
    if (sent === undefined || sent.end.kind === 'refused')
      throw new Stopped(`the first file was refused: ${refused.join(', ')}`);
    if (sent.user === undefined && header === 'used') {
      await lab.guard();
      lab.use('csv.header', 'full');
      sent = await lab.send(`I ${user}, with the full header`, row, isAnything);
    }
    const { end, user: shown } = sent;
    if (shown === undefined || end.kind === 'refused') {
      const advice =
        'Compare the file format of the platform with dialect.csv (delimiter, header), which learn never tries';
      throw new Stopped(`the first file had no effect: ${endWords(end)}. ${advice}`);
    }
    lab.visible = shownFields(shown);
    const { upload, csv } = lab.dialect;
    const why = refused.length === 0 ? '' : `, after a refusal of ${refused.join(', ')}`;
    const columns = csv.header === header ? 'a file with the columns in use' : 'only a file with all columns';
    return [
      { value: upload.encoding, evidence: `the platform accepted a file as ${upload.encoding}${why}` },
      header === 'full' ? undefined : { value: csv.header, evidence: `${columns} was applied` },
      ...(await learnWords(lab, end)),
    ];
  },
};

/** Learns the words of a file whose row was applied: those of its end, those before, and that its end is no failure. */
async function learnWords(lab: Lab, end: Exclude<SentFile['end'], { kind: 'refused' }>): Promise<Findings> {
  if (end.kind === 'no-status') return [{ evidence: `${endWords(end)}, so users are read back` }];
  const [first = ''] = end.words;
  const word = await lab.lastWord(end.fileId, first);
  if (word === undefined) return [{ evidence: `the file was applied, and ${endWords(end)}` }];
  const before = end.words.filter((one) => one !== word && one !== '');
  const { done, failed, pending } = lab.dialect.status;
  const kept = failed.filter((one) => withWord(one, [word]).length > 1);
  const isPending = (list: readonly string[], one: string) => withWord(one, list, [word]);
  const path = before.map(quoted).join(', then ');
  return [
    { value: withWord(word, done, before), evidence: `the row was applied, and the status was ${quoted(word)}` },
    path === '' ? undefined : { value: before.reduce(isPending, pending), evidence: `before, it was ${path}` },
    kept.length === failed.length
      ? undefined
      : { value: kept, evidence: `${quoted(word)} is not a failure, because the row was applied` },
  ];
}

/** The other writes. */
export const writings: readonly Experiment[] = [
  {
    settings: ['userId', 'put'],
    question: 'Which `userId` does an update accept, and does it clear omitted fields?',
    writes: 'PUT of the test user; never an id that another user has as id, uid or identification',
    async run(lab) {
      const { user: identification, signal } = lab.order;
      const user = await lab.current();
      const [written, kept] = shownFields(user);
      const unknownBoth = (userId: Finding) => [userId, { evidence: 'no update was applied' }];
      if (written === undefined) {
        return unknownBoth({ evidence: 'the platform shows none of the fields that were written' });
      }
      const values = { created: undefined, ...user, identification: user.rawIdentification ?? user.identification };
      const kinds = [lab.dialect.userId, 'id', 'uid', 'identification'] as const;
      const known = kinds.filter((kind) => values[kind] !== undefined);
      const { finding, shown } = await firstThat(known, async (kind) => {
        if (lab.taken.has(values[kind] ?? '')) {
          return [`its ${kind} was not sent, because another user has the same id, uid or identification`, undefined];
        }
        const fields = { ...testNames, [written]: 'Put' };
        const platform = lab.platform({ userId: kind });
        const sent = await lab.write(`PUT of ${identification}, with its ${kind} as userId`, () =>
          platform.update(user, { identification, fields }, signal).then(() => 'accepted' as const, refusalStatus),
        );
        if (sent !== 'accepted') return [`its ${kind} was refused (${sent})`, undefined];
        const changed = await lab.shown(isOther(user, written));
        const fate = changed === undefined ? `its ${kind} had no effect` : `an update with its ${kind} was applied`;
        return [fate, changed];
      });
      if (shown === undefined) return unknownBoth(finding);
      if (kept === undefined) {
        return [finding, { evidence: 'the platform shows too few of the written fields' }];
      }
      const [value, fate] = shown.fields[kept] === undefined ? ['replaces', 'cleared'] : ['merges', 'kept'];
      return [finding, { value, evidence: `the update omitted ${kept}, and it was ${fate}` }];
    },
  },
  {
    settings: ['csv.header'],
    question: 'Is the configured full header necessary?',
    writes: 'U of the test user, with used columns',
    isNeeded: ({ csv }) => csv.header === 'full',
    async run(lab) {
      const user = await lab.current();
      const [field = 'area'] = shownFields(user);
      const dialect = { csv: { ...lab.dialect.csv, header: 'used' } } as const;
      const row = { kind: 'update', after: { [field]: 'Used' }, dialect } as const;
      const { end, user: shown } = await lab.send(`U ${lab.order.user}, with used columns`, row, isOther(user, field));
      return shown === undefined
        ? [{ value: 'full', evidence: `a file with the columns in use had no effect: ${endWords(end)}` }]
        : [{ value: 'used', evidence: 'a file with the columns in use was applied' }];
    },
  },
  {
    settings: ['csv.emptyCell'],
    question: 'Does an empty cell clear a field?',
    writes: 'U of the test user, with one empty cell',
    async run(lab) {
      const user = await lab.current();
      const emptied = lab.visible.find((name) => user.fields[name] !== undefined);
      const other = lab.visible.find((name) => name !== emptied);
      if (emptied === undefined || other === undefined) return [{ evidence: 'the platform shows too few fields' }];
      const row = { kind: 'update', after: { [emptied]: '', [other]: 'Cell' } } as const;
      const { end, user: shown } = await lab.send(`U ${lab.order.user}, with an empty cell`, row, isOther(user, other));
      if (shown === undefined) return [{ evidence: `the row had no effect: ${endWords(end)}` }];
      const [value, fate] = shown.fields[emptied] === undefined ? ['clears', 'cleared'] : ['keeps', 'kept'];
      return [{ value, evidence: `the cell of ${emptied} was empty, and the field was ${fate}` }];
    },
  },
  {
    settings: ['csv.dateFormat', 'monthNames'],
    question: 'Which date format does a file need, and how does the platform show dates?',
    writes: 'U of the test user, with two dates, until the platform reads a format correctly',
    async run(lab) {
      const { csv } = lab.dialect;
      const formats = [csv.dateFormat, 'yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy'];
      const { finding } = await firstThat(formats, async (dateFormat, i) => {
        // December has another name in each language, and no month has such a day's number.
        const [orgEntryDate, birthDate] = [`2021-12-${20 + i}`, `1990-12-${20 + i}`];
        const { end, user } = await lab.send(
          `U ${lab.order.user}, with dates as ${dateFormat}`,
          { kind: 'update', after: { orgEntryDate, birthDate }, dialect: { csv: { ...csv, dateFormat } } },
          ({ fields }) => fields.orgEntryDate === orgEntryDate || fields.birthDate === birthDate,
        );
        const isRead = `the platform read dates in the format ${dateFormat} correctly`;
        return [user === undefined ? `${dateFormat} had no effect (${endWords(end)})` : isRead, user];
      });
      return [finding, await findLanguages(lab)];
    },
  },
  {
    settings: ['enableBy'],
    question: 'Which command enables a disabled user?',
    writes: 'D of the test user, then U or I',
    async run(lab) {
      const { user } = lab.order;
      const off = await lab.send(`D ${user}`, { kind: 'disable' }, isOff);
      if (off.user === undefined) {
        return [{ evidence: `D did not disable the user: ${endWords(off.end)}` }];
      }
      const commands = [lab.dialect.enableBy, 'U', 'I'] as const;
      const { finding } = await firstThat(commands, async (enableBy) => {
        const row = { kind: 'enable', dialect: { enableBy } } as const;
        const on = await lab.send(`${enableBy} ${user}`, row, ({ enabled }) => enabled);
        const isEnabled = `${enableBy} enabled the disabled user`;
        return [on.user === undefined ? `${enableBy} did not enable it (${endWords(on.end)})` : isEnabled, on.user];
      });
      return [finding];
    },
  },
  {
    settings: ['status.failed'],
    question: 'What does the status of a failed file say?',
    writes: 'D of an identification that no user has',
    async run(lab) {
      const identification = lab.nobody;
      const what = `D ${identification}, which no user has`;
      const { end } = await lab.send(what, { kind: 'disable', identification });
      if (end.kind !== 'ended') return [{ evidence: endWords(end) }];
      const word = end.words.at(-1) ?? '';
      const { status } = lab.dialect;
      const row = 'a file with a row that must fail';
      return classifyFileStatus(word, status).kind === 'done'
        ? [{ evidence: `${row} also ends as ${quoted(word)}` }]
        : [{ value: withWord(word, status.failed), evidence: `${row} ended as ${quoted(word)}` }];
    },
  },
];

async function findLanguages(lab: Lab): Promise<Finding> {
  const own = datesOf(await lab.raw());
  const shown = [...own, ...lab.dates];
  if (shown.length === 0) return { evidence: 'no user shows a hire date' };
  const needed = languagesOf(shown);
  const configured = lab.order.connection.dialect.monthNames;
  const value = monthLanguages.filter((language) => needed.includes(language) || configured.includes(language));
  const example = own.map((text) => `, such as ${quoted(text)}`).join('');
  const names = needed.length === 0 ? 'without names of months' : `with names of months in ${needed.join(', ')}`;
  return { value, evidence: `hire dates of ${shown.length} users are shown ${names}${example}` };
}

/**
 * Tries the values in turn until one works, and tells what came of each. `attempt` returns what was seen, and the user
 * who shows that it works.
 */
async function firstThat<T extends LearnedValue>(
  values: readonly T[],
  attempt: (value: T, i: number) => Promise<readonly [seen: string, shown: User | undefined]>,
): Promise<{ readonly finding: Finding; readonly shown: User | undefined }> {
  const all: string[] = [];
  for (const [i, value] of [...new Set(values)].entries()) {
    const [seen, shown] = await attempt(value, i);
    all.push(seen);
    if (shown !== undefined) return { finding: { value, evidence: all.join('; ') }, shown };
  }
  return { finding: { evidence: all.join('; ') }, shown: undefined };
}

function shownFields({ fields }: User): readonly (typeof plainFields)[number][] {
  return plainFields.filter((name) => fields[name] !== undefined);
}

const isAnything = () => true;
export const isOff = ({ enabled }: User) => !enabled;

/** Whether a user has another value of the field than before. */
function isOther(before: User, field: FieldName): (now: User) => boolean {
  return ({ fields }) => fields[field] !== undefined && fields[field] !== before.fields[field];
}

function datesOf({ orgEntryDate }: Readonly<Record<string, unknown>>): readonly string[] {
  return typeof orgEntryDate === 'string' && orgEntryDate !== '' ? [orgEntryDate] : [];
}

function refusalStatus(error: unknown): number {
  if (error instanceof PlatformError && error.effect === 'none' && error.status !== undefined) return error.status;
  throw error;
}

function quoted(word: string): string {
  return JSON.stringify(word.length > 80 ? `${word.slice(0, 80)}…` : word);
}

/** An address of no person (RFC 2606). */
export function emailOf(user: string): string {
  return `${user.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}@example.com`;
}
