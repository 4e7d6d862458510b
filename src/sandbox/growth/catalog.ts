import { badRequest } from '../call.ts';
import type { World } from '../world.ts';
import { append, type StoredGoal } from './records.ts';

/** A goal period: a calendar year, named by its number. */
export interface Period {
  readonly name: string;
  readonly startDate: string;
  readonly endDate: string;
}

/** Returns the named period, which must be the current or a future one; without a name, the current one. */
export function choosePeriod(name: string | null | undefined, now: number): Period {
  const current = new Date(now).getUTCFullYear();
  if (name === undefined || name === null || name === '') return periodNamed(String(current));
  if (!/^\d{4}$/.test(name) || Number(name) < current) {
    throw badRequest(`periodName must be the current period, ${current}, or a future one`);
  }
  return periodNamed(name);
}

export function periodNamed(name: string): Period {
  return { name, startDate: `${name}-01-01`, endDate: `${name}-12-31` };
}

/** Returns the dates of a goal, by default those of the period. Throws 400 for dates outside the period. */
export function fitDates(
  dates: { readonly startDate?: string | null | undefined; readonly endDate?: string | null | undefined },
  period: Period,
): { startDate: string; endDate: string } {
  const startDate = dates.startDate ?? period.startDate;
  const endDate = dates.endDate ?? period.endDate;
  for (const date of [startDate, endDate]) {
    if (date < period.startDate || date > period.endDate) {
      const range = `${period.startDate} to ${period.endDate}`;
      throw badRequest(`startDate and endDate must be inside the period ${range}`);
    }
  }
  if (startDate > endDate) throw badRequest('startDate must not be after endDate');
  return { startDate, endDate };
}

const topics = [
  { code: 'collaboration', color: '#2d7dd2', en: 'Collaboration', es: 'Colaboración', pt: 'Colaboração' },
  { code: 'ownership', color: '#97cc04', en: 'Ownership', es: 'Responsabilidad', pt: 'Responsabilidade' },
  { code: 'craft', color: '#f45d01', en: 'Craft', es: 'Oficio', pt: 'Ofício' },
] as const;

const languages = ['en', 'es', 'pt'] as const;
type Language = (typeof languages)[number];

/** Returns the supported language of an `Accept-Language` header with the largest weight (RFC 9110, 12.5.4); otherwise English. */
export function chooseLanguage(header: string | undefined): Language {
  const wanted = (header ?? '').split(',').map((part) => {
    const [tag = '', weight = ''] = part.split(';');
    const text = tag.trim().toLowerCase();
    const language = languages.find((known) => text === known || text.startsWith(`${known}-`));
    return { language, weight: Number(/q\s*=\s*([\d.]+)/i.exec(weight)?.[1] ?? 1) };
  });
  const [best] = wanted
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  return best?.language ?? 'en';
}

/** Returns rated topics (contract, "Rated topic and topic"): feedback has `imageCode`, evaluations `ratedTopicImage`. */
export function rateTopics(seed: number, language: string, image: 'imageCode' | 'ratedTopicImage') {
  return topics.map((topic, i) => {
    const name = topic[chooseLanguage(language)];
    const baseUrl = 'https://images.example.com/';
    return {
      id: i + 1,
      name,
      description: name,
      ordinality: i + 1,
      value: 1 + ((seed + i) % 5),
      ...(image === 'imageCode'
        ? { imageCode: topic.code }
        : { ratedTopicImage: { imageCode: topic.code, baseUrl, suggestedUrl: `${baseUrl}${topic.code}.png` } }),
      color: topic.color,
      topics: [{ id: 10 + i, name, description: name, active: true, skill: i === 2 }],
    };
  });
}

/* ---- what a sandbox begins with ---- */

const dayMs = 86_400_000;

const titles = ['Probation review', 'Half-year review', 'Annual review', 'Project review'] as const;

const comments = [
  'Meets what was agreed, and helps others to do so.',
  'Delivers reliably. The next step is to plan further ahead.',
  'Exceeds what was agreed in most areas.',
  'Has grown into the role. Needs support with priorities.',
] as const;

const maxEvaluations = 30;

/** Gives the first users evaluations, each of the next one. Deterministic for the same users and instant. */
export function seedEvaluations({ directory, evaluations, now }: World): void {
  const people = [...directory.all.keys()].slice(0, maxEvaluations);
  for (const [i, evaluator] of people.entries()) {
    const createdAt = now() - (people.length - i) * dayMs;
    const isSubmitted = i % 3 !== 0;
    evaluations.push({
      id: 5001 + i,
      title: titles[i % titles.length] ?? '',
      comment: isSubmitted ? (comments[i % comments.length] ?? '') : '',
      evaluator,
      evaluee: people[(i + 1) % people.length] ?? evaluator,
      createdAt,
      updatedAt: createdAt + dayMs / 4,
      submittedAt: isSubmitted ? createdAt + dayMs / 2 : undefined,
      score: 1 + (i % 5),
      isAnswered: isSubmitted && i % 2 === 0,
    });
  }
}

/** Users with goals, feedback and leaders. More would only make a start slower. */
const maxPeople = 60;
const teamSize = 6;

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
export function seedGrowth(world: World): void {
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

function seedGoal({ goals: board, now }: World, assignedTo: string, i: number): void {
  const goal = goals[i % goals.length];
  if (goal === undefined) return;
  const year = String(new Date(now()).getUTCFullYear());
  const { name: periodName, startDate, endDate } = periodNamed(year);
  const createdAt = now() - (maxPeople - i) * dayMs;
  board.put({ ...goal, status: 'OPENED', startDate, endDate, periodName, assignedTo, createdAt, locale: 'en' });
}

function seedFeedback(world: World, [sender, recipient]: readonly [string, string], i: number): void {
  const createdAt = world.now() - (maxPeople - i) * dayMs;
  append(world.feedback, { sender, recipient, createdAt, comment: praise[i % praise.length] ?? '' });
  if (i % teamSize !== 0) return;
  const comment = questions[(i / teamSize) % questions.length] ?? '';
  append(world.feedbackRequests, {
    sender: recipient,
    recipient: sender,
    comment,
    skills: ['collaboration'],
    state: 'open',
  });
}
