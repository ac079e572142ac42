import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, Round, RoundResult } from '../generator/plan.ts';
import type { Costs } from './calibrator.ts';
import { type Placement, processorTime, startHelper } from './process.ts';

/** What the machine could do before a round. */
export interface Calibration extends Costs {
  /** Requests a second of a bare node:http server, and the processor time of a GET and of a POST, µs. */
  readonly httpRate: number;
  readonly get: number;
  readonly post: number;
  /** Requests a second that the generator could do of these, by its own processor time. */
  readonly generatorRate: number;
}

/** The load generator with one plan. */
export interface Generator {
  run(round: Round): Promise<RoundResult>;
  close(): void;
}

export interface Machine {
  /** Starts a generator with a plan, which it keeps between rounds: tokens rotate. */
  generator(plan: Plan): Promise<Generator>;
  calibrate(milliseconds: number): Promise<Calibration>;
  close(): void;
}

/** @param folder where plans and the database of the calibration go */
export async function openMachine(folder: string, { servers, generator }: Placement): Promise<Machine> {
  const calibrator = startHelper(new URL('calibrator.ts', import.meta.url), servers, [folder]);
  const { port } = await heard<{ port: number }>(calibrator);
  let plans = 0;
  const start = async (plan: Plan): Promise<Generator> => {
    plans += 1;
    const file = join(folder, `plan-${plans}.json`);
    writeFileSync(file, JSON.stringify(plan));
    const child = startHelper(new URL('../generator/generator.ts', import.meta.url), generator, []);
    child.send({ plan: file });
    await heard(child);
    return {
      run: async (round) => {
        child.send({ round });
        const { result, failed } = await heard<{ result?: RoundResult; failed?: string }>(child);
        if (result === undefined) throw new Error(`the load generator failed: ${failed}`);
        return result;
      },
      close: () => child.disconnect(),
    };
  };
  const bare = (operation: 'bare' | 'bare-post') =>
    start({
      operation,
      ports: [port],
      addresses: noAddresses,
      clientId: '',
      scope: '',
      idTokenAlgorithm: 'RS256',
      items: [{ host: 'login.bench.test', value: form }],
    });
  const [gets, posts] = [await bare('bare'), await bare('bare-post')];
  const cost = async (of: Generator, milliseconds: number) => {
    const before = processorTime(calibrator.pid ?? 0);
    const {
      operations,
      milliseconds: taken,
      ownMilliseconds,
    } = await of.run({ milliseconds, connections: 64 });
    const processor = ((processorTime(calibrator.pid ?? 0) - before) * 1_000) / operations;
    const own = (operations * 1_000) / ownMilliseconds;
    return { rate: (operations * 1_000) / taken, processor, own };
  };
  return {
    generator: start,
    calibrate: async (milliseconds) => {
      calibrator.send({});
      const { costs } = await heard<{ costs: Costs }>(calibrator);
      const got = await cost(gets, milliseconds);
      const posted = await cost(posts, milliseconds);
      return {
        ...costs,
        httpRate: got.rate,
        get: got.processor,
        post: posted.processor,
        generatorRate: got.own,
      };
    },
    close: () => {
      for (const one of [gets, posts]) one.close();
      calibrator.disconnect();
    },
  };
}

/** A form of the size of a refresh request. */
const form = `grant_type=refresh_token&client_id=bench-rs256&refresh_token=${'x'.repeat(90)}`;

const noAddresses = {
  authorization: '',
  token: '',
  deviceAuthorization: '',
  revocation: '',
  discovery: '',
  jwks: '',
  profile: '',
};

/** The next message of a process. @throws if it ends first */
export function heard<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`a process of the bench ended with ${code}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}
