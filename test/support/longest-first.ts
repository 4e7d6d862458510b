import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a worker longest, so that none of them is the last one to start while the other workers are idle. */
const longest = [
  'chaos/two-processes',
  'chaos/full-disk',
  'e2e/answers',
  'chaos/kill-sweep',
  'chaos/replicas',
  'e2e/every-source',
  'e2e/page/people',
  'e2e/page/holds',
  'e2e/page/everybody',
  'e2e/telemetry',
  'e2e/postgres.',
  'e2e/postgres-away',
  'e2e/many-workers',
  'e2e/sentinels',
  'chaos/wrong-clock',
  'store/postgres.',
  'project/package',
  'work/queue/access',
  'helm/chart',
  'work/queue/queue',
  'docs/executed-pages',
  'store/postgres-processes',
  'store/newer-version',
  'sources/personio/contract',
];

/** Starts the longest files of each project first. Without it a new clone begins with the files of most bytes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => rankOf(a) - rankOf(b)),
    );
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.includes(`/test/${name}`));
  return rank === -1 ? longest.length : rank;
}
