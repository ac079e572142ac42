import fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { setLimits, unlimited } from '../support/device.ts';
import { commands } from '../support/fuzz/model/commands.ts';
import { expectStored } from '../support/fuzz/model/compare.ts';
import { host, newWorld, password } from '../support/fuzz/model/world.ts';
import { holds, patience } from '../support/fuzz/runs.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
let hash: string;

beforeAll(async () => {
  await setLimits(service, host, unlimited);
  hash = await service.passwords.hash(password);
});

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
