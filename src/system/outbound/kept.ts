// Connections that are left to the next call to the same addresses, for a few seconds.
import type { Agent } from 'node:http';
import { outbound as limits } from '../../core/operators/limits.ts';
import { Agent as HttpAgent } from '../http.ts';
import type { Resolved } from './call.ts';

/** Keeps the connections of one client. */
export type Kept = (isTls: boolean) => Promise<Agent>;

/** What a call says to its agent: the addresses that it may dial. */
export interface Dialled {
  readonly dialled: string;
}

export const dialledAt = (found: readonly Resolved[]): Dialled => ({
  dialled: found
    .map(({ address }) => address)
    .sort()
    .join(),
});

export function createKept(): Kept {
  let plain: Agent | undefined;
  let secure: Promise<Agent> | undefined;
  // No session is resumed: each new connection looks at the certificate.
  const options = {
    keepAlive: true,
    maxFreeSockets: limits.keptOfHost,
    timeout: limits.keptFor,
    maxCachedSessions: 0,
  };
  return async (isTls) => {
    if (isTls) {
      secure ??= import('node:https').then(({ Agent }) => bounded(new Agent(options)));
      return secure;
    }
    plain ??= bounded(new HttpAgent(options));
    return plain;
  };
}

/** A name that leads elsewhere now gets none of the connections to where it led; and all that rest have a bound. */
function bounded(agent: Agent): Agent {
  const nameOf = agent.getName.bind(agent);
  agent.getName = (options) => `${nameOf(options)}:${(options as Partial<Dialled>).dialled}`;
  const keep = agent.keepSocketAlive.bind(agent) as (
    ...socket: Parameters<Agent['keepSocketAlive']>
  ) => boolean;
  const resting = () => Object.values(agent.freeSockets).reduce((all, some = []) => all + some.length, 0);
  agent.keepSocketAlive = (socket) => resting() < limits.kept && keep(socket);
  return agent;
}
