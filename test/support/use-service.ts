import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';

/** What a test starts and must stop. */
interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * Something that lives as long as the file, or the group of tests, that calls this: it starts before the first test
 * and stops after the last. A `beforeAll` behind the call prepares what is in it.
 */
export function useStarted<Started extends Stoppable>(start: () => Promise<Started>): Started {
  // Empty until it is started: only tests and hooks may look into it.
  const started = {} as Started;
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  afterAll(() => started.stop());
  return started;
}

/** Something that begins anew before each test, and stops after it. */
export function useStartedAnew<Started extends Stoppable>(start: () => Promise<Started>): Started {
  const started = {} as Started;
  beforeEach(async () => {
    Object.assign(started, await start());
  });
  afterEach(() => started.stop());
  return started;
}

/**
 * A service that lives as long as the file or the group. Each test begins in a second of its own: where one counts in
 * whole seconds, its few readings of the clock do not reach the next.
 */
export function useService(options: TestServiceOptions): TestService {
  const service = useStarted(() => startTestService(options));
  beforeEach(() => service.clock.beginSecond());
  return service;
}

/** A service that begins anew before each test. */
export const useFreshService = (options: TestServiceOptions): TestService =>
  useStartedAnew(() => startTestService(options));

/** A service of the one test that asks for it, which stops when that test is over. */
export async function serviceForTest(options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.stop());
  return service;
}
