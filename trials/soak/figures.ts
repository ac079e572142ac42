/** A value at a time. */
export interface Sample {
  /** ms since the beginning. */
  readonly at: number;
  readonly value: number;
}

/** How a line through samples rises, in what they count an hour. */
export interface Slope {
  readonly perHour: number;
  /** The standard error of it: a short run says little. */
  readonly error: number;
}

const hour = 3_600_000;

/** The line through samples by least squares. With fewer than three there is none, and nothing rises. */
export function slopeOf(samples: readonly Sample[]): Slope {
  const count = samples.length;
  if (count < 3) return { perHour: 0, error: 0 };
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const at = mean((sample) => sample.at);
  const value = mean((sample) => sample.value);
  let spread = 0;
  let shared = 0;
  for (const sample of samples) {
    spread += (sample.at - at) ** 2;
    shared += (sample.at - at) * (sample.value - value);
  }
  const slope = spread === 0 ? 0 : shared / spread;
  const rest = samples.reduce(
    (sum, sample) => sum + (sample.value - value - slope * (sample.at - at)) ** 2,
    0,
  );
  const error = spread === 0 ? 0 : Math.sqrt(rest / (count - 2) / spread);
  return { perHour: slope * hour, error: error * hour };
}

/** @param part 0.99 is the time that one in a hundred is over */
export function quantile(times: readonly number[], part: number): number {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

/** What a soak found. */
export interface SoakFindings {
  readonly minutes: number;
  readonly crashes: number;
  readonly wrong: number;
  /** MB an hour, of the resident memory after the warm-up. */
  readonly memorySlope: number;
}

/** A run this long or longer is held to its memory; in a shorter one the slope is mostly noise. Minutes. */
const minutesForMemory = 20;

/** Memory may rise by this much, MB an hour. */
const mostMemorySlope = 5;

/** @returns why a soak failed, each in one line; none if it did not */
export function failuresOf({ minutes, crashes, wrong, memorySlope }: SoakFindings): readonly string[] {
  const failures: string[] = [];
  if (crashes > 0) failures.push('the service ended by itself');
  if (wrong > 0) failures.push(`${wrong} answers were wrong`);
  if (minutes >= minutesForMemory && memorySlope > mostMemorySlope) {
    failures.push(`memory rose by ${memorySlope.toFixed(1)} MB an hour, over ${mostMemorySlope}`);
  }
  return failures;
}

/**
 * How long the service may take to find its size before memory and times are looked at, in ms. What it remembers is
 * full after five minutes.
 */
export const warmUpOf = (minutes: number) => Math.min(minutes / 4, 15) * 60_000;

/**
 * How much shorter the pauses are until then. The engine goes on compiling what is asked now and then for an hour of
 * this traffic, which looks like a leak: what grows with what is asked, and not with what it has learnt, goes on after.
 */
export const haste = 6;
