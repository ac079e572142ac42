import { setTimeout as wait } from 'node:timers/promises';
import { httpClient } from '../../test/support/http.ts';
import type { TestService } from '../../test/support/service.ts';
import { type Actor, anyUnder, type Stage } from './actor.ts';
import { codeGuesser, television } from './actors/device.ts';
import { dawdler, flooder, malformedSender } from './actors/hostile.ts';
import { administrator, portalReader } from './actors/operator.ts';
import { passwordGuesser } from './actors/password.ts';
import { reader } from './actors/reader.ts';
import { webMember } from './actors/web.ts';
import { haste } from './figures.ts';
import { type Probe, probe } from './probe.ts';
import { Busy, createRecorder, type Recorder } from './recorder.ts';
import { databaseBytes, type SoakSite } from './site.ts';

const actors: readonly Actor[] = [
  webMember,
  television,
  reader,
  portalReader,
  administrator,
  passwordGuesser,
  codeGuesser,
  malformedSender,
  flooder,
  dawdler,
];

/** What a soak brought. */
export interface Played {
  readonly recorder: Recorder;
  readonly probe: Probe;
  /** ms. */
  readonly length: number;
  /** Whole rounds of each actor. */
  readonly rounds: ReadonlyMap<string, number>;
  readonly crashes: number;
  /** Bytes of the database, with its log, before and after. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Lets all actors act for so many minutes, or until the service ends.
 *
 * @param warmUp ms in which they act in haste
 */
export async function play(site: SoakSite, minutes: number, warmUp: number): Promise<Played> {
  const begun = performance.now();
  const bytesBefore = databaseBytes(site);
  const stop = new AbortController();
  const http = httpClient(site.port, 300);
  const recorder = createRecorder(http, begun);
  const seen = probe(site.server.pid, site.metricsPort, begun, stop.signal);
  const rounds = new Map<string, number>();
  let crashes = 0;
  site.server.ended.then((code) => {
    if (stop.signal.aborted) return;
    crashes += 1;
    recorder.note(`the service ended by itself: ${code}`);
    stop.abort();
  });
  const hurry = () => (performance.now() - begun < warmUp ? haste : 1);
  const timer = setTimeout(() => stop.abort(), minutes * 60_000);
  const loops = actors.flatMap((actor, kind) =>
    Array.from({ length: actor.count }, (_, number) =>
      repeat(actor, stageOf(site, recorder, kind, number), stop.signal, recorder, rounds, hurry),
    ),
  );
  await Promise.all(loops);
  clearTimeout(timer);
  await seen.done;
  http.close();
  const length = performance.now() - begun;
  return { recorder, probe: seen, length, rounds, crashes, bytesBefore, bytesAfter: databaseBytes(site) };
}

function stageOf(site: SoakSite, recorder: Recorder, kind: number, number: number): Stage {
  const serviceFrom = (addressOf: () => string) => ({ http: recorder.client(addressOf) }) as TestService;
  // Each request comes from another address of its kind, so that honest ones meet no limit of one. 198.18.0.0/15
  // is for tests of networks (RFC 2544).
  const service = serviceFrom(() => `198.18.${100 + kind}.${1 + anyUnder(250)}`);
  return { site, number, service, from: (address) => serviceFrom(() => address) };
}

async function repeat(
  actor: Actor,
  stage: Stage,
  stop: AbortSignal,
  recorder: Recorder,
  rounds: Map<string, number>,
  hurry: () => number,
): Promise<void> {
  const { name, pause } = actor;
  let round = actor.begin(stage);
  while (!stop.aborted) {
    try {
      await round();
      rounds.set(name, (rounds.get(name) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof Busy))
        recorder.note(`${name}: ${error instanceof Error ? error.message : error}`);
      // What it knew of its sign-ins may be half of a round.
      round = actor.begin(stage);
    }
    await wait((pause / hurry()) * (0.5 + Math.random()), undefined, { signal: stop }).catch(() => {});
  }
}
