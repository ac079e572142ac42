import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: on a fresh checkout nothing else tells vitest. */
const long = [
  /http\/members\/sign-in-timing/,
  /test\/browser\//,
  /test\/stories\//,
  /test\/cli\//,
  /http\/limits\/guesses|http\/oidc\/device\/(brake|authorization-limits)|http\/members\/([\w-]+-|device\/)limits/,
  /operations\/admin\/operations|operations\/mail\/|http\/setup\//,
  /operations\/(service|upkeep)\/|http\/upkeep\/|test\/(db|deploy|fuzz|log|tools)\//,
];

const rankOf = ({ moduleId, project }: TestSpecification) => {
  // A worker serves one project: with the other one's files in between each would end, and another begin in its place.
  if (project.name === 'postgres') return -1;
  const rank = long.findIndex((pattern) => pattern.test(moduleId));
  return rank === -1 ? long.length : rank;
};

/** Begins with what takes long, so that no worker is left alone with it at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byLastRun = await super.sort(files);
    return byLastRun.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
