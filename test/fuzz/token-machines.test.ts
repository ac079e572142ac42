import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { setLimits, unlimited } from '../support/device.ts';
import { commands } from '../support/fuzz/model/commands.ts';
import { expectStored } from '../support/fuzz/model/compare.ts';
import { host, newWorld, password } from '../support/fuzz/model/world.ts';
import { holds, patience } from '../support/fuzz/runs.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let hash: string;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  await setLimits(service, host, unlimited);
  hash = await service.passwords.hash(password);
});
afterAll(() => service.stop());

describe('device codes, authorization codes, refresh tokens, sign-ins and sessions', () => {
  it(
    'answer and are stored as the tables of their machines say, whatever happens in whatever order',
    () =>
      holds(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (history) => {
          await fc.asyncModelRun(async () => {
            const world = await newWorld(service, hash);
            await expectStored(world);
            return { model: world, real: world };
          }, history);
        }),
        16,
      ),
    patience,
  );
});
