import fc from 'fast-check';

/** `npm run test:fuzz -- --runs N`: how often a property of the usual cost runs. */
const asked = Number(process.env.FUZZ_RUNS ?? 0);

/** Whether this is a long run, in which everything may take its time. */
export const isLong = asked > 0;

/** How long a property over a running service may take, in ms: as long as it likes where it was asked to run long. */
export const patience = isLong ? 0 : 120_000;

/** The usual number of runs of a cheap property; a dear one has fewer, and keeps that proportion. */
const usual = 100;

/** The seed of every ordinary run, beside a new one each time: what was found once stays found. */
const fixedSeed = 8_628;
const seeds =
  process.env.FUZZ_SEED === undefined
    ? [fixedSeed, Math.trunc(Date.now() % 2 ** 31)]
    : [Number(process.env.FUZZ_SEED)];

/** How often a property runs with each of its seeds, given how often it runs in the ordinary tests. */
function runsOf(ordinary: number): number {
  return Math.max(1, Math.ceil((ordinary * Math.max(1, asked / usual)) / seeds.length));
}

/**
 * Holds a property over generated cases, half of them the same every time. A failure names its seed, path and
 * smallest case, and `FUZZ_SEED` runs it again.
 *
 * @param ordinary how many cases of it the ordinary tests can afford
 */
export async function holds<Case>(
  property: fc.IAsyncProperty<Case> | fc.IProperty<Case>,
  ordinary = usual,
  options: fc.Parameters<Case> = {},
): Promise<void> {
  for (const seed of seeds) {
    await fc.assert(property as fc.IAsyncProperty<Case>, { ...options, seed, numRuns: runsOf(ordinary) });
  }
}
