import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a test imports that starts processes: its own, a service, a browser, helm, or the commands of a page. */
const starters = [
  /'node:child_process'/,
  /\/(?:child|rollcall-process|kill-world|with-redis)\.ts'/,
  /\/support\/services(?:\.ts|\/)/,
  /\/browser-page\.ts'/,
  /\/helm-tool\.ts'/,
  /\/execute-page\.ts'/,
];

/**
 * Starts what takes a worker longest first, so that it is not the last one while the other workers are idle: in each
 * project the files that start processes, those of most kinds first. Among the others the order is vitest's.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const kinds = new Map(sorted.map((file) => [file, kindsOf(readFileSync(file.moduleId, 'utf8'))]));
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => (kinds.get(b) ?? 0) - (kinds.get(a) ?? 0)),
    );
  }
}

const kindsOf = (text: string): number => starters.filter((starter) => starter.test(text)).length;
