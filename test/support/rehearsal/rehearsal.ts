import { beforeAll, beforeEach } from 'vitest';
import type { Card } from '../../../src/core/rehearsal/card/card.ts';
import type { RuleName } from '../../../src/core/rehearsal/card/rules.ts';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import { codesFor, poll } from '../device.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { useService } from '../use-service.ts';
import type { Spoken } from '../visitor.ts';

/** The rehearsal room of a tenant, as a program uses it that builds or tests a client. */
export interface Room {
  /** POST of JSON. @param headers beside those that a program sends */
  ask(path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** What went over the wire. @param after the number of an entry, behind which to begin */
  wire(after?: number): Promise<readonly WireEntry[]>;
}

export function roomOf({ http }: Spoken, host: string): Room {
  return {
    ask: (path, body = {}, headers = {}) =>
      http(host, `/rehearsal/${path}`, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    delete: (path) => http(host, `/rehearsal/${path}`, { method: 'DELETE' }),
    wire: async (after = 0) => {
      const answer = await http(host, `/rehearsal/wire?after=${after}`);
      return answer.json<{ entries: readonly WireEntry[] }>().entries;
    },
  };
}

/** The report cards of a development service: of its tenant Acme, unless another host is given. */
function cardsOf(service: TestService) {
  const acme = () => `localhost:${service.port}`;
  const ask = (path: string, host = acme()) => service.http(host, `/rehearsal/${path}`);
  const card = async (client: string, host = acme()) =>
    (await ask(`card/${encodeURIComponent(client)}.json`, host)).json<Card & Record<string, unknown>>();
  return {
    ask,
    card,
    rule: async (name: RuleName, client = 'tv') =>
      (await card(client)).rules.find((one) => one.rule === name),
    /** A TV that polls at once. */
    async pollAtOnce(clientId = 'tv', host = acme()): Promise<void> {
      const { device_code: code } = await codesFor(service, host, { clientId });
      await poll(service, host, code, { clientId });
    },
  };
}

/** Where the room of a development service is, and at which hosts its tenants are. */
interface At {
  readonly acme: string;
  readonly globex: string;
  readonly room: Room;
}

/** A development service with its report cards; each test finds it as it was at first. */
export function useCards() {
  const service = useService({ data: 'development' });
  const at = {} as { -readonly [Name in keyof At]: At[Name] };
  beforeAll(() => {
    at.acme = `localhost:${service.port}`;
    at.globex = `127.0.0.1:${service.port}`;
    at.room = roomOf(service, at.acme);
  });
  beforeEach(async () => {
    await at.room.ask('reset');
  });
  return { service, at: at as At, ...cardsOf(service) };
}
