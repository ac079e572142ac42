import { request } from 'node:http';
import type { Line } from './figures.ts';
import { figuresOf, medianCalibration, movement, rateIn, ratioOf } from './figures.ts';
import type { Item } from './generator/plan.ts';
import type { Calibration } from './machine/machine.ts';
import { type Bench, memoryOf, runRound, type SideRound, serviceSide } from './measure.ts';
import { type Row, steadiness } from './rows.ts';
import { proxied, serviceAddresses, serviceHost, serviceScope } from './service/folder.ts';

/** While so many wrong passwords are sent a second, discovery's p99 stays under so many ms. */
const passwordLoad = { rate: 20, p99: 50 } as const;

/** Discovery while passwords are hashed, beside discovery alone on the same server. */
export async function measurePasswordLoad(bench: Bench, discovery: Row): Promise<Line> {
  const { machine, pace } = bench;
  const { connections, round, warmUp } = pace;
  const side = await serviceSide(discovery)(bench, 'passwords');
  const passwords = await machine.generator({
    operation: 'wrong-sign-in',
    ports: side.ports,
    addresses: serviceAddresses,
    scope: serviceScope,
    clientId: '',
    idTokenAlgorithm: 'RS256',
    items: [await signInForm(side.ports[0] ?? 0)],
  });
  const hashing = { milliseconds: round, connections, rate: passwordLoad.rate };
  const calibrations: Calibration[] = [];
  const alone: SideRound[] = [];
  const loaded: SideRound[] = [];
  const refused: SideRound[] = [];
  try {
    await side.generator.run({ milliseconds: warmUp, connections });
    for (let number = 0; number < pace.rounds; number += 1) {
      calibrations.push(await machine.calibrate(pace.calibration));
      for (const rounds of [alone, loaded]) {
        const [result, wrongs] = await Promise.all([
          runRound(side, pace),
          rounds === loaded ? passwords.run(hashing) : null,
        ]);
        rounds.push(result);
        if (wrongs !== null) refused.push({ ...wrongs, processor: result.processor, database: null });
      }
    }
    const memory = memoryOf(side);
    const sent = figuresOf({ rounds: refused, memory });
    const measured = { ours: { rounds: loaded, memory }, other: { rounds: alone, memory } };
    // Without the wrong sign-ins there is nothing to say of discovery beside them.
    const ours = sent === null ? null : figuresOf(measured.ours);
    const other = figuresOf(measured.other);
    const isLoaded = sent !== null && sent.rate.median > passwordLoad.rate * 0.9;
    const moved = movement(calibrations);
    const calibration = medianCalibration(calibrations);
    const verdict = () => {
      if (ours === null || other === null || sent === null) return 'WRONG ANSWERS';
      if (moved > steadiness) return 'NOISY';
      if (!isLoaded) return 'missed: the wrong sign-ins were not answered in time';
      return ours.p99 < passwordLoad.p99 ? 'reached' : 'missed: p99';
    };
    const wrong = [...refused, ...loaded, ...alone].find(({ firstWrong }) => firstWrong !== null)?.firstWrong;
    const name = `discovery under ${passwordLoad.rate} wrong sign-ins a second (other: without them)`;
    return {
      name,
      ours,
      other,
      ratio: ours === null || other === null ? null : ratioOf(measured, rateIn),
      target: null,
      limit: discovery.limit(calibration),
      calibration,
      moved,
      verdict: verdict(),
      notes: [
        ...(wrong ? [`${name}: wrong answers, the first: ${wrong}`] : []),
        ...(sent === null
          ? []
          : [`${name}: ${sent.rate.median.toFixed(1)} a second were refused, p99 ${sent.p99.toFixed(0)} ms`]),
      ],
    };
  } finally {
    passwords.close();
    await side.stop();
  }
}

/** Opens the sign-in page as a browser does: the flow that its form carries, and the cookie it is bound to. */
async function signInForm(port: number): Promise<Item> {
  const headers = { host: serviceHost, ...proxied };
  const { location, cookie } = await new Promise<{ location: string; cookie: string }>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/sign-in', headers }, (answer) => {
      answer.resume();
      const [set = ''] = answer.headers['set-cookie'] ?? [];
      resolve({ location: answer.headers.location ?? '', cookie: set.split(';')[0] ?? '' });
    });
    asked.on('error', reject);
    asked.end();
  });
  const flow = /[?&]flow=([^&]+)/.exec(location)?.[1];
  if (flow === undefined || cookie === '') throw new Error('the sign-in page did not begin a flow');
  return { host: serviceHost, value: cookie, expected: flow };
}
