import { expect, it } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { answerPast } from '../../src/app/person/past.ts';
import type { SourceRecord } from '../../src/core/person/person.ts';
import { pruneOld } from '../../src/run/prune-old.ts';
import { type Explained, explain } from '../../src/run/why.ts';
import { seededRandom } from '../../src/sandbox/people/seed-users.ts';
import { drawSeeds, isLong } from '../support/drawn.ts';
import { account, openPlanScene, row } from './plan-scene.ts';
import { hour } from './run-in-store.ts';

const people = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8'];

/** The last prune must find days older and younger than the retention. */
const days = isLong ? 200 : 120;

/** What a row may look like on a day, besides being as usual. */
const rows: readonly ((id: string, day: number) => readonly SourceRecord[])[] = [
  (id) => [row(id)],
  (id) => [row(id)],
  (id, day) => [row(id, { area: `area ${day % 3}` })],
  (id) => [row(id, { status: 'left' })],
  (id) => [row(id, { status: 'odd' })],
  (id) => [row(id, { type: 'guest' })],
  (id) => [row(id, { hired: '2030-01-01' })],
  (id) => [row(id), row(id, { area: 'Law' }, `another line of ${id}`)],
  (id) => [row(id, { email: 'shared@example.com' })],
  () => [],
];

/** What is stored of an answer must agree with what was said, in the words of the other. */
function said({ change, decision, subject, findings, failure }: Explained, id: string): object {
  if (failure !== undefined) return { answer: expect.stringMatching(/^Not decided: /) };
  if (change !== undefined) return { change: change.kind, hash: change.hash, rule: decision?.rule };
  const own = findings.filter(({ identification }) => identification === id);
  if (own.length > 0)
    return { code: own[0]?.code, answer: `Nothing, because ${own.map((one) => one.message).join('; ')}` };
  const says = subject?.source.says;
  return {
    says:
      says === 'missing' || says === 'unconfirmed'
        ? 'absent'
        : says === 'nothing'
          ? expect.stringMatching(/other|absent/)
          : says,
  };
}

it.each(drawSeeds(20, 1))('tells of each day what "why" said then, after pruning too (%i)', async (seed) => {
  const random = seededRandom(seed);
  const draw = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const scene = await openPlanScene({
    records: people.map((id) => row(id)),
    users: people.slice(0, 6).map((id) => account(id)),
    settings: { missing: { afterReads: 3, minAgeMs: 30 * hour } },
  });
  const { source, users, clock, sync, io, store } = scene;
  const shown = new Map(people.map((id) => [id, [row(id)] as readonly SourceRecord[]]));
  const asked: { readonly day: number; readonly id: string; readonly end: number; readonly expected: object }[] = [];
  for (let day = 0; day < days; day += 1) {
    if (random() < 0.5) shown.set(draw(people), draw(rows)(draw(people), day));
    const id = draw(people);
    if (random() < 0.4) shown.set(id, draw(rows)(id, day));
    const user = users.get(id);
    if (random() < 0.1 && user !== undefined) users.set(id, { ...user, enabled: !user.enabled });
    const isIll = random() < 0.05;
    source.records = isIll ? people.map((one) => row(one, { status: 'odd' })) : [...shown.values()].flat();
    const expected = await Promise.all(
      [id, draw(people)].map(async (one) => {
        return { one, told: said(await explain(one, sync, io, new AbortController().signal), one) };
      }),
    );
    await scene.run();
    for (const { one, told } of expected) asked.push({ day, id: one, end: clock.now() + 1, expected: told });
    clock.jumpTo(clock.now() + 24 * hour);
    if (day % 50 === 49) await store.runs.prune(0, 0, { unchanged: 3 });
  }
  const app = { engine: io } as Pick<AppIo, 'engine'> as AppIo;
  const engine = { ...io, retention: { ...io.retention, runs: 400 * 24 * hour } };
  for (const { day, id, end, expected } of asked) {
    const answer = await answerPast({ ...app, engine }, 'people', id, { before: end });
    expect({ day, id, ...answer }).toMatchObject({ day, id, ...expected });
  }
  // What is older than the retention is gone, and what is younger still answers.
  await pruneOld(io);
  for (const { day, id, end, expected } of asked.filter((one) => one.day % 5 === 0)) {
    const answer = await answerPast(app, 'people', id, { before: end });
    const isKept = end > clock.now() - io.retention.runs;
    expect({ day, ...answer }).toMatchObject({
      day,
      ...(isKept ? expected : { answer: expect.stringMatching(/^Not known/) }),
    });
  }
});
