// Calls that we make: the one client through which everything dials out (decision 48).
import { lookup as askSystem } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostNameLength } from '../../core/limits.ts';
import { readOutboundUrl } from '../../core/oidc/client/outbound-url.ts';
import { outbound as limits } from '../../core/operators/limits.ts';
import type { Clock, Schedule } from '../clock.ts';
import type { OutboundCall, OutboundFailure, OutboundResult, Resolved } from './call.ts';
import { exchange } from './exchange.ts';
import { createKept } from './kept.ts';
import { mayDial as isPublic } from './ranges.ts';

/** Makes calls. */
export interface Outbound {
  /** Makes one call. It never throws. */
  send(call: OutboundCall): Promise<OutboundResult>;
}

/** The addresses of a host. @throws whatever the system says */
export type Resolve = (host: string) => Promise<readonly Resolved[]>;

export interface OutboundDeps {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => { info(facts: object, text: string): void };
  /** The system's own resolver unless given. */
  readonly resolve?: Resolve;
  /** Certificates (PEM) that are trusted in place of the system's. */
  readonly ca?: readonly string[];
  /** Which addresses are dialled: `mayDial` of ranges.ts unless given. */
  readonly mayDial?: (address: string, development: boolean) => boolean;
}

/**
 * Makes the one client of a service for calls to addresses of others (decision 48): https, a name resolved once and
 * dialled where that was found right, no redirects, 5 s, 1 MB, few at once. It knows no proxy, and its certificate
 * checks cannot be switched off by the environment.
 */
export function createOutbound(deps: OutboundDeps): Outbound {
  const { clock, schedule, log, ca } = deps;
  const calls = createPlaces();
  const connections = createKept();

  async function attempt(call: OutboundCall, signal: AbortSignal): Promise<OutboundResult> {
    const url = readOutboundUrl(call.url, call.development);
    if (url === null) return failed('address');
    const leave = calls.enter(url.hostname);
    if (leave === null) return failed('busy');
    try {
      // It cannot be called off: the place is taken until the resolver has answered, even when the time is over.
      const found = await addressesOf(url, call.development, deps);
      if (typeof found === 'string') return failed(found);
      const kept = call.mayArriveTwice === true ? connections : null;
      return signal.aborted ? failed('time') : await exchange({ call, url, found, ca, kept, signal });
    } finally {
      leave();
    }
  }

  return {
    async send(call) {
      const begun = clock();
      const time = new AbortController();
      const callOff = schedule(() => time.abort(), Math.min(call.time ?? limits.time, limits.time));
      const late = new Promise<OutboundResult>((settle) => {
        time.signal.addEventListener('abort', () => settle(failed('time')));
      });
      const result = await Promise.race([attempt(call, time.signal), late]);
      callOff();
      log().info(
        { host: hostOf(call.url), ...outcomeOf(result), ms: clock() - begun },
        'a call to another host',
      );
      return result;
    },
  };
}

const failed = (reason: OutboundFailure): OutboundResult => ({ kind: 'failed', reason });

const bySystem: Resolve = (host) => askSystem(host, { all: true });

/** The addresses that are dialled, or why none is. */
async function addressesOf(
  { hostname }: URL,
  development: boolean,
  { resolve = bySystem, mayDial = isPublic }: OutboundDeps,
) {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(literal);
  const found = family === 0 ? await resolve(hostname).catch(() => []) : [{ address: literal, family }];
  if (found.length === 0) return 'resolution';
  // A name that leads to one bad address among good ones is not to be trusted with the good ones either.
  return found.every(({ address }) => mayDial(address, development)) ? found : 'address';
}

/** Counts the calls under way, in all and of each host. */
function createPlaces() {
  const ofHost = new Map<string, number>();
  let inAll = 0;
  return {
    /** @returns what ends the call; null if there are too many */
    enter(host: string): (() => void) | null {
      const count = ofHost.get(host) ?? 0;
      if (inAll >= limits.calls || count >= limits.callsOfHost) return null;
      inAll += 1;
      ofHost.set(host, count + 1);
      return () => {
        inAll -= 1;
        const left = (ofHost.get(host) ?? 1) - 1;
        if (left === 0) ofHost.delete(host);
        else ofHost.set(host, left);
      };
    },
  };
}

/** For the log: a path or a query may hold a secret. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname.slice(0, hostNameLength) : null);

const outcomeOf = (result: OutboundResult) =>
  result.kind === 'answer' ? { status: result.status, result: 'answer' } : { result: result.reason };
