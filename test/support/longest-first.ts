import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a worker longest, so that none of them is the last one to start while the other workers are idle. */
const longest = [
  'chaos/kill-sweep',
  'docs/executed-pages',
  'chaos/replicas',
  'chaos/two-processes',
  'chaos/full-disk',
  'e2e/many-workers',
  'e2e/postgres-away',
  'chaos/token-crowd',
  'chaos/wrong-clock',
  'e2e/sentinels',
  'e2e/page/everybody',
  'project/package',
  'store/postgres.',
  'work/queue/access',
  'work/queue/queue',
  'store/postgres-processes',
  'sources/personio/contract',
  'store/newer-version',
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
