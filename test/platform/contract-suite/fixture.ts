import { PlatformError } from '../../../src/core/run/errors.ts';
import { openPlatformApi, type PlatformApi } from '../../../src/platform/client/api.ts';
import type { PlatformClient } from '../../../src/platform/client/client.ts';
import type { OperationId } from '../../../src/platform/table/operations.ts';
import type { LongId } from '../../../src/platform/table/wire.ts';
import { userIdOf } from '../../../src/platform/user-write.ts';

/** The platform's behavior differs from the contract. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** Abilities for which the contract has no call. */
export interface ContractAids {
  /** Makes every call of the operation fail with the status, until the returned function is called. */
  readonly inject: (operation: OperationId, status: number) => () => void;
  /** Returns the id of the last feedback request. */
  readonly feedbackRequestId: () => LongId;
  /** Returns a token pair that may be consumed, and its endpoint. */
  readonly spareTokens: () => SpareTokens;
}

export interface SpareTokens {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

type GoalKey = Parameters<PlatformApi['goals']['get']>[0];

/** Test data of the checks: their own people and goals. */
export interface Fixture {
  readonly client: PlatformClient;
  readonly api: PlatformApi;
  readonly aids: ContractAids;
  readonly signal: AbortSignal;
  /** Returns the identification of a test person by number, from 0. */
  person(number: number): string;
  /** Creates a person that a check may delete. */
  newcomer(): Promise<string>;
  /** Returns an unused identification with this ending. */
  freeIdentification(ending?: string): string;
  userId(identification: string): Promise<string>;
  freeGoalCode(): string;
  /** Creates a goal of `person(0)`. */
  goal(): Promise<GoalKey>;
  feedbackId(): Promise<LongId>;
  evaluationId(): Promise<LongId>;
  roleCode(): Promise<string>;
  /** Returns an open feedback request from `person(0)` to `person(1)`. */
  feedbackRequestId(): Promise<LongId>;
  /** Returns a file that updates `person(0)`. */
  file(): { readonly name: string; readonly content: Uint8Array };
  uploadedFileId(): Promise<string>;
}

const peopleCount = 4;
const maxPolls = 20;
const pollEveryMs = 500;

/** Creates the people of the checks. */
export async function openFixture(client: PlatformClient, aids: ContractAids): Promise<Fixture> {
  const api = openPlatformApi(client);
  const { signal } = new AbortController();
  let count = 0;
  const freeIdentification = (ending = ''): string => `contract-${++count}${ending}`;
  const freeGoalCode = (): string => `contract-goal-${++count}`;
  const newcomer = async (): Promise<string> => {
    const identification = freeIdentification();
    const fields = { firstName: 'Contract', lastName: `Check ${count}`, email: `${identification}@example.com` };
    await api.users.create({ identification, fields }, signal);
    return identification;
  };
  const people: string[] = [];
  for (let i = 0; i < peopleCount; i++) people.push(await newcomer().catch(() => 'E000001'));
  const person = (number: number): string => people[number] ?? '';
  const file = () => {
    const { delimiter, lineEnd, bom } = client.dialect.csv;
    const rows = [
      ['command', 'identification', 'firstName', 'lastName'],
      ['U', person(0), 'Contract', 'Check'],
    ];
    const text = rows.map((row) => row.join(delimiter) + lineEnd).join('');
    return { name: 'contract-check.csv', content: Buffer.from(`${bom ? '\uFEFF' : ''}${text}`) };
  };
  /** Takes the first of a list, or fails the check. */
  const first = <T>(items: readonly T[]): T => {
    const [item] = items;
    if (item === undefined) throw new Difference('the list is empty');
    return item;
  };

  return {
    ...{ client, api, aids, signal, person, newcomer, freeIdentification, freeGoalCode, file },
    async userId(identification) {
      const lookup = await api.users.find(identification, signal);
      if (lookup.found !== true) throw new Difference('a person of the test is not shown');
      return userIdOf(lookup.user, client.dialect);
    },
    async goal() {
      const code = freeGoalCode();
      const kinds = { type: 'TEAM', assignment: 'INDIVIDUAL' } as const;
      const goal = { code, title: 'Contract check', ...kinds, weighting: 1, assignedTo: person(0), locale: 'en' };
      await api.goals.create(goal, signal);
      return { code, identification: person(0) };
    },
    feedbackId: async () => first((await api.feedback.page({ recipient: person(1), size: 1 }, signal)).items).id,
    evaluationId: async () => first((await api.evaluations.page({ pageSize: 1 }, signal)).items).id,
    roleCode: async () => first(await api.roles.list(signal)).name,
    async feedbackRequestId() {
      await api.feedback.request({ sender: person(0), recipient: person(1), comment: 'Contract check' }, signal);
      return aids.feedbackRequestId();
    },
    /** Uploads one file at a time. Platforms refuse another one while a file is being processed, some with 400. */
    async uploadedFileId() {
      for (let poll = 1; ; poll++) {
        try {
          const { fileId } = await api.userFiles.upload(file(), signal);
          for (let looks = 0; looks < maxPolls; looks++) {
            if ((await api.userFiles.status(fileId, signal)).kind !== 'pending') break;
            await client.clock.sleep(pollEveryMs, signal);
          }
          return fileId;
        } catch (error) {
          const mayBeBusy = error instanceof PlatformError && (error.code === 'PLATFORM_BUSY' || error.status === 400);
          if (!mayBeBusy || poll === maxPolls) throw error;
          await client.clock.sleep(pollEveryMs, signal);
        }
      }
    },
  };
}
