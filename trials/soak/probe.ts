import { setTimeout as wait } from 'node:timers/promises';
import { residentMegabytes } from '../bench/machine/process.ts';
import type { Sample } from './figures.ts';

/** How often the service is looked at, in ms. */
const interval = 5_000;

/** What was seen of the service while it ran. */
export interface Probe {
  /** Resident memory, MB. */
  readonly memory: readonly Sample[];
  /** JavaScript's part of it, MB. */
  readonly heap: readonly Sample[];
  /** The event loop's lag, p99 since the look before, ms. */
  readonly lag: readonly Sample[];
  /** Resolves after the last look. */
  readonly done: Promise<void>;
}

const megabyte = 1_024 * 1_024;

/** Looks at a service until it is told to stop, by its process and its metrics. */
export function probe(pid: number, metricsPort: number, begun: number, stop: AbortSignal): Probe {
  const [memory, heap, lag]: [Sample[], Sample[], Sample[]] = [[], [], []];
  const look = async () => {
    const at = performance.now() - begun;
    memory.push({ at, value: residentMegabytes(pid) });
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    heap.push({ at, value: metric(text, 'nodejs_heap_size_used_bytes') / megabyte });
    lag.push({ at, value: metric(text, 'nodejs_eventloop_lag_p99_seconds') * 1_000 });
  };
  const run = async () => {
    while (!stop.aborted) {
      // A service that is gone has no figures; that it is gone is noticed elsewhere.
      await look().catch(() => {});
      await wait(interval, undefined, { signal: stop }).catch(() => {});
    }
  };
  return { memory, heap, lag, done: run() };
}

/** A metric without labels, in Prometheus' text. */
function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
