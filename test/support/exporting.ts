import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseFault, type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import type { PostgresService } from './services.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The targets of the tests: the same items go to each. */
export const targets = ['csv', 'jsonl', 'postgres'] as const;
export type Target = (typeof targets)[number];
export const lists = ['feedback', 'evaluations'] as const;
export type List = (typeof lists)[number];

type Keys = Readonly<Record<string, unknown>>;

export interface ExportingWorld {
  readonly sandbox: RunningSandbox;
  readonly folder: string;
  readonly config: string;
  /** Writes the configuration: an export `LIST-TARGET` of each list to each target. `rest`: keys beside the exports. */
  configure(keys?: Keys, limits?: Keys, rest?: Keys): Promise<void>;
  setFaults(...faults: readonly string[]): void;
  /** Adds feedback of these times. */
  addFeedback(...at: readonly number[]): void;
  /** Adds an evaluation, or changes the one with the id. */
  putEvaluation(id: number, createdAt: number, updatedAt: number): void;
  /** What the platform has: ids of feedback, and of evaluations with the time of their state. */
  readonly existing: Readonly<Record<List, ReadonlySet<string>>>;
  /** What the target has, in finished files or the table, in order. */
  written(list: List, target: Target): Promise<readonly string[]>;
}

/** Opens a platform, and a folder with a configuration. Without PostgreSQL, there is no such target. */
export async function openExportingWorld(
  now: () => number,
  postgres: PostgresService | undefined,
): Promise<ExportingWorld> {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({ now, accessTokenLifeMs: 86_400_000_000 });
  for (const name of ['A1', 'A2']) sandbox.state.patchUser(name, { fields: { firstName: 'Ana' } });
  onTestFinished(() => sandbox.close());
  const url = await postgres?.newDatabase();
  const existing = { feedback: new Set<string>(), evaluations: new Set<string>() };
  const placeOf = (list: List, target: Target) =>
    target === 'postgres'
      ? { kind: target, url, table: `made.${list}` }
      : { kind: target, path: join(folder, 'exports', `${list}-${target}`) };
  if (postgres !== undefined && url !== undefined) await postgres.query(url, 'create schema made');
  let feedback = 0;
  const config = join(folder, 'rollcall.json');
  return {
    sandbox,
    folder,
    config,
    existing,
    async configure(keys = {}, limits = {}, rest = {}) {
      const pairs = lists.flatMap((list) => targets.map((target) => [list, target] as const));
      const exports = pairs
        .filter(([, target]) => target !== 'postgres' || url !== undefined)
        .map(([list, target]) => [
          `${list}-${target}`,
          { connection: 'acme', what: list, to: placeOf(list, target), ...keys },
        ]);
      const acme = {
        baseUrl: sandbox.url,
        accessToken: sandbox.accessToken,
        limits: { requestsPerSecond: 1000, concurrency: 4, ...limits },
      };
      await writeFile(config, JSON.stringify({ ...rest, connections: { acme }, exports: Object.fromEntries(exports) }));
    },
    setFaults: (...faults) => sandbox.setFaults(faults.map(parseFault)),
    addFeedback(...times) {
      for (const createdAt of times) {
        feedback += 1;
        sandbox.state.addFeedback({ sender: 'A1', recipient: 'A2', createdAt, comment: 'private' });
        existing.feedback.add(String(feedback));
      }
    },
    putEvaluation(id, createdAt, updatedAt) {
      sandbox.state.putEvaluation({
        ...{ id, createdAt, updatedAt, submittedAt: undefined, score: 3, isAnswered: false },
        ...{ title: 'Review', comment: 'private', evaluator: 'A1', evaluee: 'A2' },
      });
      existing.evaluations.add(`${id}@${Math.max(createdAt, updatedAt)}`);
    },
    async written(list, target) {
      const keyOf = (id: unknown, at: string | Date) =>
        list === 'feedback' ? String(id) : `${id}@${new Date(at).getTime()}`;
      if (target === 'postgres') {
        if (postgres === undefined || url === undefined) return [];
        const rows = await postgres.query(url, `select * from made.${list}`);
        return rows.map((row) => keyOf(row.id, row.state_time as Date));
      }
      const place = join(folder, 'exports', `${list}-${target}`);
      const names = (await readdir(place).catch(() => [])).filter((name) => name.endsWith(`.${target}`)).toSorted();
      const texts = await Promise.all(names.map((name) => readFile(join(place, name), 'utf8')));
      return texts.flatMap((text) => {
        const lines = text.split(/\r?\n/).slice(target === 'csv' ? 1 : 0, -1);
        return lines.map((line) => {
          const [id, at] = line.split(',');
          const row = target === 'jsonl' ? JSON.parse(line) : { id, state_time: at };
          return keyOf(row.id, row.state_time);
        });
      });
    },
  };
}
