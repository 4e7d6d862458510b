import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  CountedPage,
  Evaluation,
  Feedback,
  FileStatus,
  Goal,
  LeaderRecord,
  ListPage,
  Lookup,
  NumberedPage,
  PlatformApi,
  Role,
  TotalPage,
  UploadReceipt,
  User,
} from '../../../src/platform/index.ts';
import { operationIds } from '../../../src/platform/schema/index.ts';

/** The type of each method's answer. A change of one is a change of the library's interface. */
type Answers = {
  [Part in keyof PlatformApi]: {
    [Method in keyof PlatformApi[Part]]: PlatformApi[Part][Method] extends (...args: never[]) => infer Answer
      ? Awaited<Answer>
      : never;
  };
};

describe('the types of answers', () => {
  it('are those of the contract, method by method', () => {
    expectTypeOf<Answers['users']['read']>().toEqualTypeOf<User>();
    expectTypeOf<Answers['users']['find']>().toEqualTypeOf<Lookup>();
    expectTypeOf<Answers['users']['list']>().toEqualTypeOf<AsyncGenerator<User, void>>();
    expectTypeOf<Answers['users']['create']>().toEqualTypeOf<{ readonly userId: string }>();
    expectTypeOf<Answers['users']['update']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['users']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['userFiles']['upload']>().toEqualTypeOf<UploadReceipt>();
    expectTypeOf<Answers['userFiles']['status']>().toEqualTypeOf<FileStatus>();
    expectTypeOf<Answers['importJob']['start']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['roles']['list']>().toEqualTypeOf<readonly Role[]>();
    expectTypeOf<Answers['roles']['get']>().toEqualTypeOf<unknown>();
    expectTypeOf<Answers['leaders']['page']>().toEqualTypeOf<ListPage<LeaderRecord, TotalPage>>();
    expectTypeOf<Answers['leaders']['list']>().toEqualTypeOf<AsyncGenerator<LeaderRecord, void>>();
    expectTypeOf<Answers['leaders']['collaborators']>().toEqualTypeOf<unknown>();
    expectTypeOf<Answers['leaders']['add']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['leaders']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['get']>().toEqualTypeOf<Feedback>();
    expectTypeOf<Answers['feedback']['page']>().toEqualTypeOf<ListPage<Feedback, NumberedPage>>();
    expectTypeOf<Answers['feedback']['list']>().toEqualTypeOf<AsyncGenerator<Feedback, void>>();
    expectTypeOf<Answers['feedback']['request']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['decline']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['send']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['goals']['get']>().toEqualTypeOf<Goal>();
    expectTypeOf<Answers['goals']['page']>().toEqualTypeOf<ListPage<Goal, CountedPage>>();
    expectTypeOf<Answers['goals']['list']>().toEqualTypeOf<AsyncGenerator<Goal, void>>();
    expectTypeOf<Answers['goals']['create']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['goals']['update']>().toEqualTypeOf<Goal>();
    expectTypeOf<Answers['goals']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['evaluations']['get']>().toEqualTypeOf<Evaluation>();
    expectTypeOf<Answers['evaluations']['page']>().toEqualTypeOf<ListPage<Evaluation, NumberedPage>>();
    expectTypeOf<Answers['evaluations']['list']>().toEqualTypeOf<AsyncGenerator<Evaluation, void>>();
    expect(operationIds).toHaveLength(28);
  });

  it('are exact where the contract lists every value', () => {
    expectTypeOf<Goal['type']>().toEqualTypeOf<'TEAM' | 'COMMUNITY' | null | undefined>();
    expectTypeOf<Goal['assignment']>().toEqualTypeOf<'INDIVIDUAL' | 'SHARED' | null | undefined>();
    expectTypeOf<Evaluation['type']>().toEqualTypeOf<'EVALUATION' | null | undefined>();
    expectTypeOf<Evaluation['status']>().toEqualTypeOf<'DRAFT' | 'SUBMITTED' | null | undefined>();
    expectTypeOf<Goal['status']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<CountedPage['numberElements']>().toEqualTypeOf<number>();
    expectTypeOf<NumberedPage['totalPages']>().toEqualTypeOf<number>();
  });
});
