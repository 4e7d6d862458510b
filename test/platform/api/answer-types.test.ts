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
  ScanPage,
  TotalPage,
  UpdatedUser,
  UploadedFile,
  UserFileRecord,
  UserRecord,
} from '../../../src/platform/index.ts';
import { operationIds } from '../../../src/platform/table/index.ts';

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
    expectTypeOf<Answers['users']['get']>().toEqualTypeOf<UserRecord>();
    expectTypeOf<Answers['users']['find']>().toEqualTypeOf<Lookup>();
    expectTypeOf<Answers['users']['scan']>().toEqualTypeOf<AsyncGenerator<ScanPage, void>>();
    expectTypeOf<Answers['users']['page']>().toEqualTypeOf<ListPage<UserRecord, TotalPage>>();
    expectTypeOf<Answers['users']['pages']>().toEqualTypeOf<AsyncGenerator<ListPage<UserRecord, TotalPage>, void>>();
    expectTypeOf<Answers['users']['list']>().toEqualTypeOf<AsyncGenerator<UserRecord, void>>();
    expectTypeOf<Answers['users']['create']>().toEqualTypeOf<{ readonly userId: string }>();
    expectTypeOf<Answers['users']['update']>().toEqualTypeOf<UpdatedUser>();
    expectTypeOf<Answers['users']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['userFiles']['upload']>().toEqualTypeOf<UploadedFile>();
    expectTypeOf<Answers['userFiles']['status']>().toEqualTypeOf<FileStatus>();
    expectTypeOf<Answers['importJob']['start']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['roles']['list']>().toEqualTypeOf<readonly Role[]>();
    expectTypeOf<Answers['roles']['get']>().toEqualTypeOf<unknown>();
    expectTypeOf<Answers['leaders']['page']>().toEqualTypeOf<ListPage<LeaderRecord, TotalPage>>();
    expectTypeOf<Answers['leaders']['pages']>().toEqualTypeOf<
      AsyncGenerator<ListPage<LeaderRecord, TotalPage>, void>
    >();
    expectTypeOf<Answers['leaders']['list']>().toEqualTypeOf<AsyncGenerator<LeaderRecord, void>>();
    expectTypeOf<Answers['leaders']['collaborators']>().toEqualTypeOf<unknown>();
    expectTypeOf<Answers['leaders']['add']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['leaders']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['get']>().toEqualTypeOf<Feedback>();
    expectTypeOf<Answers['feedback']['page']>().toEqualTypeOf<ListPage<Feedback, NumberedPage>>();
    expectTypeOf<Answers['feedback']['pages']>().toEqualTypeOf<
      AsyncGenerator<ListPage<Feedback, NumberedPage>, void>
    >();
    expectTypeOf<Answers['feedback']['list']>().toEqualTypeOf<AsyncGenerator<Feedback, void>>();
    expectTypeOf<Answers['feedback']['request']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['decline']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['feedback']['send']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['goals']['get']>().toEqualTypeOf<Goal>();
    expectTypeOf<Answers['goals']['page']>().toEqualTypeOf<ListPage<Goal, CountedPage>>();
    expectTypeOf<Answers['goals']['pages']>().toEqualTypeOf<AsyncGenerator<ListPage<Goal, CountedPage>, void>>();
    expectTypeOf<Answers['goals']['list']>().toEqualTypeOf<AsyncGenerator<Goal, void>>();
    expectTypeOf<Answers['goals']['create']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['goals']['update']>().toEqualTypeOf<Goal>();
    expectTypeOf<Answers['goals']['remove']>().toEqualTypeOf<void>();
    expectTypeOf<Answers['evaluations']['get']>().toEqualTypeOf<Evaluation>();
    expectTypeOf<Answers['evaluations']['page']>().toEqualTypeOf<ListPage<Evaluation, NumberedPage>>();
    expectTypeOf<Answers['evaluations']['pages']>().toEqualTypeOf<
      AsyncGenerator<ListPage<Evaluation, NumberedPage>, void>
    >();
    expectTypeOf<Answers['evaluations']['list']>().toEqualTypeOf<AsyncGenerator<Evaluation, void>>();
    expect(operationIds).toHaveLength(28);
  });

  it('name every method', () => {
    type Methods = { [Part in keyof Answers]: `${Part}.${string & keyof Answers[Part]}` }[keyof Answers];
    expectTypeOf<Methods>().toEqualTypeOf<
      | `users.${'scan' | 'find' | 'get' | 'page' | 'pages' | 'list' | 'create' | 'update' | 'remove'}`
      | `userFiles.${'upload' | 'status'}`
      | 'importJob.start'
      | `roles.${'list' | 'get'}`
      | `leaders.${'page' | 'pages' | 'list' | 'collaborators' | 'add' | 'remove'}`
      | `feedback.${'get' | 'page' | 'pages' | 'list' | 'request' | 'decline' | 'send'}`
      | `goals.${'get' | 'page' | 'pages' | 'list' | 'create' | 'update' | 'remove'}`
      | `evaluations.${'get' | 'page' | 'pages' | 'list'}`
    >();
  });

  it('hold what the contract names, and a typo does not compile', () => {
    expectTypeOf<Goal['locale']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<UserRecord['createdDate']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<UserRecord['customFields']>().toEqualTypeOf<Record<string, string | null> | null | undefined>();
    expectTypeOf<UserFileRecord['blocked']>().toEqualTypeOf<boolean | null | undefined>();
    expectTypeOf<UploadedFile['record']>().toEqualTypeOf<UserFileRecord>();
    expectTypeOf<UpdatedUser['userId']>().toEqualTypeOf<string>();
    expectTypeOf<'titel'>().not.toExtend<keyof Goal>();
    expectTypeOf<'titel'>().not.toExtend<keyof Evaluation>();
    expectTypeOf<'code'>().toExtend<keyof NonNullable<NonNullable<Feedback['sender']>['profileImage']>>();
    expectTypeOf<'kode'>().not.toExtend<keyof NonNullable<NonNullable<Feedback['sender']>['profileImage']>>();
    for (const keys of [{} as keyof UserRecord, {} as keyof Role, {} as keyof LeaderRecord, {} as keyof TotalPage]) {
      expectTypeOf(keys).not.toEqualTypeOf<string | number>();
    }
  });

  it('are exact where the contract lists every value', () => {
    expectTypeOf<Goal['type']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Goal['assignment']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Evaluation['type']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Evaluation['status']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Goal['status']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<CountedPage['numberElements']>().toEqualTypeOf<number>();
    expectTypeOf<NumberedPage['totalPages']>().toEqualTypeOf<number>();
  });
});
