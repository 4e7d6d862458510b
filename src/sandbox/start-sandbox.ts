import type { Leaders } from '../core/person/user.ts';
import type { OperationId } from '../platform/table/index.ts';
import type { FaultSpec } from './faults/parse-fault.ts';
import { periodNamed } from './growth/catalog.ts';
import type { FeedbackRequest, StoredEvaluation, StoredFeedback, StoredGoal } from './growth/records.ts';
import { buildServer } from './http/build-server.ts';
import { editUser } from './http/control.ts';
import type { SandboxOptions } from './options.ts';
import type { Account, AccountPatch } from './people/account.ts';
import type { WriteLogEntry } from './people/write-log.ts';
import type { ProvisioningFile } from './provisioning/file-desk.ts';
import type { RefreshPresentation, TokenPairSecrets } from './token-issuer.ts';
import { createWorld, type World } from './world.ts';

export interface RunningSandbox {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly applicationToken: string;
  /** The first pair. A refresh replaces it. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly state: SandboxState;
  /** Replaces all faults and restarts their counts. */
  setFaults(faults: readonly FaultSpec[]): void;
  /** Returns a new token pair, independent of former ones, as after a new authorization. Tokens that are not given are random. */
  authorize(known?: Partial<TokenPairSecrets>): TokenPairSecrets;
  /** Ends every connection and waits until the port is free. May be called twice. */
  close(): Promise<void>;
}

/** The internal state, for tests in the same process. Each access processes due files. */
export interface SandboxState {
  /** By identification, with write-only fields, also before they become visible. */
  readonly users: ReadonlyMap<string, Account>;
  readonly blacklist: ReadonlySet<string>;
  readonly files: ReadonlyMap<number, ProvisioningFile>;
  readonly log: readonly WriteLogEntry[];
  /** Requests by operation, including rejected ones. */
  readonly requests: Readonly<Record<OperationId, number>>;
  readonly refreshes: readonly RefreshPresentation[];
  readonly feedbackRequests: readonly FeedbackRequest[];
  /** Returns the leaders of a user, also before they become visible. */
  leadersOf(identification: string): Leaders;
  /** Changes or creates a user as another system would. Logged as `outside`. */
  editUser(identification: string, patch: AccountPatch): Account;
  /** Adds feedback, of any time: also of one that was shown before. */
  addFeedback(feedback: Omit<StoredFeedback, 'id'>): void;
  /** Adds an evaluation, or replaces the one with its id. */
  putEvaluation(evaluation: StoredEvaluation): void;
  /** Defines the CSV of the import job; undefined removes it. */
  defineImportSource(csv: string | undefined): void;
}

/** Starts the platform of the contract on a port of this machine. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const world = createWorld(options);
  if (options.hasGrowth === true) seedGrowth(world);
  const { accessToken, refreshToken } = world.tokens.authorize(options);
  const closing = new AbortController();
  const app = await buildServer(world, closing.signal);
  const url = await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    applicationToken: world.applicationToken,
    accessToken,
    refreshToken,
    state: lookInto(world),
    setFaults: (faults) => world.faults.set(faults),
    authorize: (known) => world.tokens.authorize(known),
    close: async () => {
      closing.abort();
      await app.close();
    },
  };
}

function lookInto(world: World): SandboxState {
  const settled = <T>(value: () => T): T => {
    world.files.settle();
    return value();
  };
  return {
    get users() {
      return settled(() => world.directory.all);
    },
    get blacklist() {
      return settled(() => world.directory.blacklist);
    },
    get files() {
      return settled(() => world.files.all);
    },
    get log() {
      return settled(() => world.log.entries);
    },
    get requests() {
      return world.requests;
    },
    get refreshes() {
      return world.tokens.presentations;
    },
    get feedbackRequests() {
      return world.feedback.requests;
    },
    leadersOf: (identification) => settled(() => world.leadership.leadersOf(identification)),
    editUser: (identification, patch) => settled(() => editUser(world, identification, patch)),
    addFeedback: (feedback) => world.feedback.send(feedback),
    putEvaluation: (evaluation) => {
      const at = world.evaluations.findIndex(({ id }) => id === evaluation.id);
      world.evaluations.splice(at === -1 ? world.evaluations.length : at, at === -1 ? 0 : 1, evaluation);
    },
    defineImportSource: (csv) => world.defineImportSource(csv),
  };
}

type GrowthWorld = Pick<World, 'directory' | 'leadership' | 'feedback' | 'goals' | 'now'>;

/** Users with goals, feedback and leaders. More would only make a start slower. */
const maxPeople = 60;
const teamSize = 6;
const dayMs = 86_400_000;

const praise = [
  'Thank you for taking over the release at short notice. The whole team knew what to do.',
  'The new starters found their way in a week because of your notes.',
  'Your review found the mistake that three of us had missed.',
  'Please tell us earlier when a date is in danger; we can help.',
  'You kept calm with a difficult customer, and we kept the customer.',
  'The workshop was well prepared. A little more time for questions would help.',
] as const;

const questions = [
  'How did the hand-over of the project go?',
  'What should I do differently in our weekly meeting?',
  'Was the report clear enough?',
] as const;

type GoalText = Pick<StoredGoal, 'code' | 'title' | 'description' | 'type' | 'assignment' | 'weighting'>;

const goals: readonly GoalText[] = [
  {
    code: 'GOAL-1',
    title: 'Onboard every new colleague in a week',
    description: 'An account, a desk, a buddy and a first task on the first day.',
    type: 'TEAM',
    assignment: 'SHARED',
    weighting: 2,
  },
  {
    code: 'GOAL-2',
    title: 'Halve the open defects',
    description: 'Counted at the end of each quarter.',
    type: 'COMMUNITY',
    assignment: 'SHARED',
    weighting: 1.5,
  },
  {
    code: 'GOAL-3',
    title: 'Learn a new skill and show it to the team',
    description: 'One talk of half an hour.',
    type: 'TEAM',
    assignment: 'INDIVIDUAL',
    weighting: 1,
  },
];

/**
 * Gives the first users teams of six with a leader and a second one, goals, feedback and an open feedback request.
 * Deterministic for the same users and instant. Disabled users have leaders only.
 */
function seedGrowth(world: GrowthWorld): void {
  const accounts = [...world.directory.all.values()].slice(0, maxPeople);
  const people = accounts.map(({ identification }) => identification);
  for (const [i, { identification, enabled }] of accounts.entries()) {
    const leader = people[i - (i % teamSize)] ?? identification;
    const second = people[(i - (i % teamSize) + teamSize) % people.length] ?? identification;
    const isLeader = leader === identification;
    const main = isLeader ? second : leader;
    if (main !== identification)
      world.leadership.add(identification, main, isLeader || second === main ? [] : [second], world.now());
    if (enabled) seedGoal(world, identification, i);
    const colleague = people[(i + 1) % people.length] ?? identification;
    if (enabled && colleague !== identification) seedFeedback(world, [colleague, identification], i);
  }
}

function seedGoal({ goals: board, now }: GrowthWorld, assignedTo: string, i: number): void {
  const goal = goals[i % goals.length];
  if (goal === undefined) return;
  const year = String(new Date(now()).getUTCFullYear());
  const { name: periodName, startDate, endDate } = periodNamed(year);
  const createdAt = now() - (maxPeople - i) * dayMs;
  board.put({ ...goal, status: 'OPENED', startDate, endDate, periodName, assignedTo, createdAt, locale: 'en' });
}

function seedFeedback(world: GrowthWorld, [sender, recipient]: readonly [string, string], i: number): void {
  const createdAt = world.now() - (maxPeople - i) * dayMs;
  world.feedback.send({ sender, recipient, createdAt, comment: praise[i % praise.length] ?? '' });
  if (i % teamSize !== 0) return;
  const comment = questions[(i / teamSize) % questions.length] ?? '';
  world.feedback.request({ sender: recipient, recipient: sender, comment, skills: ['collaboration'] });
}
