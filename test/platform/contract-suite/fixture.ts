import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import type { FileToUpload, UploadReceipt } from '../../ports/platform.ts';
import { openPlatformApi, type PlatformApi } from '../client/api.ts';
import type { PlatformClient } from '../client/client.ts';
import type { OperationId } from '../table/operations.ts';
import type { LongId } from '../table/wire.ts';
import { userIdOf } from '../user-write.ts';

/** The platform's behavior differs from the contract. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** A check that cannot be made here. The message gives the reason. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** Abilities of the caller for which the contract has no call. Each absent one makes its checks `skipped`. */
export interface ContractAids {
  /** Makes every call of the operation fail with the status, until the returned function is called. */
  readonly inject?: (operation: OperationId, status: number) => Promise<() => Promise<void>>;
  /** Returns the id of the last feedback request. */
  readonly feedbackRequestId?: () => Promise<LongId>;
  /** Returns a token pair that may be consumed, and its endpoint. */
  readonly spareTokens?: () => Promise<SpareTokens>;
  /** Whether the platform's own import may be started. */
  readonly mayStartImport?: boolean;
}

export interface SpareTokens {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

type GoalKey = Parameters<PlatformApi['goals']['get']>[0];

/** Test data of the checks: their own people and goals (`read-write`), or existing ones (`read-only`). */
export interface Fixture {
  readonly client: PlatformClient;
  readonly api: PlatformApi;
  readonly aids: ContractAids;
  readonly signal: AbortSignal;
  /** Returns the identification of a test person by number, from 0. Throws `Unavailable` when there are too few. */
  person(number: number): string;
  /** Creates a person that a check may delete. */
  newcomer(): Promise<string>;
  /** Whether the checks may write. */
  readonly isWriting: boolean;
  /** Returns an unused identification with this ending. A user created with it is removed at the end. */
  freeIdentification(ending?: string): string;
  userId(identification: string): Promise<string>;
  /** Returns an unused code. A goal of `person(0)` created with it is removed at the end. */
  freeGoalCode(): string;
  /** Returns a goal of `person(0)`, a new one in `read-write`. */
  goal(): Promise<GoalKey>;
  feedbackId(): Promise<LongId>;
  evaluationId(): Promise<LongId>;
  roleCode(): Promise<string>;
  /** Returns an open feedback request from `person(0)` to `person(1)`. */
  feedbackRequestId(): Promise<LongId>;
  /** Returns a file that updates `person(0)`. */
  file(): Promise<FileToUpload>;
  uploadedFileId(): Promise<string>;
  /** Removes everything that was created. */
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly client: PlatformClient;
  readonly aids: ContractAids;
  readonly signal: AbortSignal;
  readonly isWriting: boolean;
}

const peopleCount = 4;
const maxPolls = 20;
/** Uploads of a file that is answered 400. */
const maxRefused = 4;
const pollEveryMs = 500;

/** Finds people in the directory, or creates some whose names begin with `contract-`. Must be closed. */
export async function openFixture({ client, aids, signal, isWriting }: FixtureOptions): Promise<Fixture> {
  const api = openPlatformApi(client);
  const mark = `contract-${randomBytes(4).toString('hex')}`;
  const made = new Set<string>();
  const goals: GoalKey[] = [];
  const folder = isWriting ? await mkdtemp(join(tmpdir(), 'rollcall-contract-')) : undefined;
  let count = 0;

  const freeIdentification = (ending = ''): string => {
    count += 1;
    const identification = `${mark}-${count}${ending}`;
    made.add(identification);
    return identification;
  };
  const freeGoalCode = (): string => {
    const code = `${mark}-goal-${goals.length + 1}`;
    goals.push({ code, identification: person(0) });
    return code;
  };
  const newcomer = async (): Promise<string> => {
    const identification = freeIdentification();
    const fields = { firstName: 'Contract', lastName: `Check ${count}`, email: `${identification}@example.com` };
    await api.users.create({ identification, fields }, signal);
    await eventually(async () => (await api.users.find(identification, signal)).found === true, 'a new user');
    return identification;
  };
  /** Waits for a write to show, because platforms may show it late. */
  async function eventually(isThere: () => Promise<boolean>, what: string): Promise<void> {
    for (let poll = 0; poll < maxPolls; poll++) {
      if (await isThere()) return;
      await client.clock.sleep(pollEveryMs, signal);
    }
    throw new Unavailable(`${what} was not shown within ${(maxPolls * pollEveryMs) / 1000} s`);
  }

  const people: string[] = [];
  let reason = 'the platform shows too few users';
  try {
    if (isWriting) for (let i = 0; i < peopleCount; i++) people.push(await newcomer());
    else {
      const { items } = await api.users.page({ enabled: true, page: 0, size: peopleCount }, signal);
      people.push(...items.map(({ identification }) => identification));
    }
  } catch (error) {
    if (!(error instanceof RollcallError) && !(error instanceof Unavailable)) throw error;
    reason = `no people for the test: ${error.message}`;
  }
  const person = (number: number): string => {
    const found = people[number];
    if (found === undefined) throw new Unavailable(reason);
    return found;
  };

  /** Uploads one file at a time. Platforms refuse another one while a file is being processed. */
  async function upload(sent: FileToUpload): Promise<UploadReceipt> {
    for (let poll = 1; ; poll++) {
      try {
        return await api.userFiles.upload(sent, signal);
      } catch (error) {
        if (!(error instanceof PlatformError) || poll === maxPolls) throw error;
        // Without a listed status for "busy", a 400 can mean it. A file that is at fault stays refused.
        const mayBeBusy = error.code === 'PLATFORM_BUSY' || (error.status === 400 && poll < maxRefused);
        if (!mayBeBusy) throw error;
        await client.clock.sleep(pollEveryMs, signal);
      }
    }
  }

  async function file(): Promise<FileToUpload> {
    if (folder === undefined) throw new Unavailable('files are only sent in read-write mode');
    const { delimiter, lineEnd, bom } = client.dialect.csv;
    const rows = [
      ['command', 'identification', 'firstName', 'lastName'],
      ['U', person(0), 'Contract', 'Check'],
    ];
    const path = join(folder, 'contract-check.csv');
    const text = rows.map((row) => row.join(delimiter) + lineEnd).join('');
    await writeFile(path, `${bom ? '\uFEFF' : ''}${text}`, { mode: 0o600 });
    return { path, name: 'contract-check.csv' };
  }

  return {
    ...{ client, api, aids, signal, isWriting, person, newcomer, freeIdentification, freeGoalCode },
    async userId(identification) {
      const lookup = await api.users.find(identification, signal);
      if (lookup.found !== true) throw new Unavailable('a person of the test is not shown');
      return userIdOf(lookup.user, client.dialect);
    },
    async goal() {
      if (!isWriting) {
        const [goal] = (await api.goals.page({ pageSize: 1 }, signal)).items;
        if (typeof goal?.assignedTo !== 'string') throw new Unavailable('the platform shows no goal');
        return { code: goal.code, identification: goal.assignedTo };
      }
      const code = freeGoalCode();
      const kinds = { type: 'TEAM', assignment: 'INDIVIDUAL' } as const;
      const goal = { code, title: 'Contract check', ...kinds, weighting: 1, assignedTo: person(0), locale: 'en' };
      await api.goals.create(goal, signal);
      return { code, identification: person(0) };
    },
    async feedbackId() {
      const query = isWriting ? { recipient: person(1) } : {};
      const [feedback] = (await api.feedback.page({ ...query, size: 1 }, signal)).items;
      if (feedback === undefined) throw new Unavailable('the platform shows no feedback');
      return feedback.id;
    },
    async evaluationId() {
      const [evaluation] = (await api.evaluations.page({ pageSize: 1 }, signal)).items;
      if (evaluation === undefined) throw new Unavailable('the platform shows no evaluation');
      return evaluation.id;
    },
    async roleCode() {
      const [role] = await api.roles.list(signal);
      if (role === undefined) throw new Unavailable('the platform shows no role');
      return role.name;
    },
    async feedbackRequestId() {
      if (aids.feedbackRequestId === undefined)
        throw new Unavailable('the platform returns no id of a feedback request');
      await api.feedback.request({ sender: person(0), recipient: person(1), comment: 'Contract check' }, signal);
      return aids.feedbackRequestId();
    },
    file,
    async uploadedFileId() {
      if (folder === undefined)
        throw new Unavailable('the id of a file is only known after an upload (read-write mode)');
      const { fileId, status } = await upload(await file());
      if (status.kind !== 'pending') return fileId;
      await eventually(
        async () => (await api.userFiles.status(fileId, signal)).kind !== 'pending',
        'the end of a file',
      );
      return fileId;
    },
    async close() {
      // Not the suite's own signal: created data is removed even when the operator stops the suite.
      const unhurried = new AbortController().signal;
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      for (const key of goals) await forget(() => api.goals.remove(key, unhurried));
      for (const identification of made) {
        await forget(() => api.users.remove(identification, { blacklist: false }, unhurried));
      }
    },
  };
}

/** Ignores a refused removal: a check deleted the object itself, or never created it. */
async function forget(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
  }
}
