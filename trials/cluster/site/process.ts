// One process of a cluster: its data folder and port, and the gate between it and the database.
import { setTimeout as wait } from 'node:timers/promises';
import { httpClient } from '../../../test/support/http.ts';
import { type Start, type Started, startProcess } from '../../../test/support/process/started.ts';
import type { Gate } from '../../../test/support/proxy/gate.ts';
import { freePort } from '../../../test/support/service.ts';

export interface ClusterProcess {
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly gate: Gate;
  isRunning(): boolean;
  start(how?: Pick<Start, 'options' | 'from'>): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM. */
  stop(): Promise<void>;
  /** What `/readyz` says. */
  readiness(): Promise<{ readonly status: number; readonly word: string }>;
  /** Waits until it says that it is ready, for ms at most. @returns how long it took; null if it did not */
  whenReady(isReady: boolean, most: number): Promise<number | null>;
  /** How many transactions it ran again, in all its lives. */
  retries(): Promise<number>;
  /** Lines of errors in the log of this life. */
  errors(): readonly string[];
}

export async function createProcess(
  folder: string,
  gate: Gate,
  common: Readonly<Record<string, string>>,
): Promise<ClusterProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const settings = {
    ...common,
    MEMBERDOOR_DATA: folder,
    MEMBERDOOR_PORT: String(port),
    MEMBERDOOR_METRICS_PORT: String(metricsPort),
    MEMBERDOOR_TRUSTED_PROXIES: '127.0.0.1',
    MEMBERDOOR_LOG_LEVEL: 'error',
  };
  const http = httpClient(port, 2);
  const metrics = httpClient(metricsPort, 2);
  let started: Started | null = null;
  let before = 0;
  let now = 0;
  const retries = async () => {
    const text = await metrics('127.0.0.1', '/metrics').then(
      (answer) => answer.text,
      () => '',
    );
    now = Number(/^memberdoor_transaction_retries_total (\S+)$/m.exec(text)?.[1] ?? now);
    return before + now;
  };
  const end = async (how: (life: Started) => Promise<unknown>) => {
    if (started === null) return;
    await retries();
    [before, now] = [before + now, 0];
    await how(started);
    started = null;
  };
  const readiness = async () => {
    const { status, text } = await http('127.0.0.1', '/readyz');
    return { status, word: text.trim() };
  };
  return {
    port,
    settings,
    gate,
    isRunning: () => started !== null,
    start: async (how = {}) => {
      started = startProcess({ settings, ...how });
      await started.ready;
    },
    kill: () => end((life) => life.kill()),
    stop: () => end((life) => life.stop()),
    readiness,
    whenReady: async (isReady, most) => {
      const begun = performance.now();
      for (;;) {
        const { status } = await readiness();
        const ms = performance.now() - begun;
        if ((status === 200) === isReady) return Math.round(ms);
        if (ms > most) return null;
        await wait(50);
      }
    },
    retries,
    errors: () => (started?.lines() ?? []).filter((line) => line.startsWith('{"level":"error"')),
  };
}
