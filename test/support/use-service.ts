import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';

/**
 * A service that lives as long as the file, or the group of tests, that calls this: it starts before the first test
 * and stops after the last. A `beforeAll` behind the call prepares what is in it.
 */
export function useService(options: TestServiceOptions): TestService {
  // Empty until it is started: only tests and hooks may look into it.
  const service = {} as TestService;
  beforeAll(async () => {
    Object.assign(service, await startTestService(options));
  });
  afterAll(() => service.stop());
  return service;
}

/** A service that begins anew before each test, and stops after it. */
export function useFreshService(options: TestServiceOptions): TestService {
  const service = {} as TestService;
  beforeEach(async () => {
    Object.assign(service, await startTestService(options));
  });
  afterEach(() => service.stop());
  return service;
}
