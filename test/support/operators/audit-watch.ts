import { expect } from 'vitest';
import type { AuditEvent } from '../../../src/core/operators/audit-event.ts';
import type { StoredAuditEvent } from '../../../src/storage/operators/audit-list.ts';
import { listAuditEvents } from '../../../src/storage/operators/audit-list.ts';
import { tenantOf } from '../device.ts';
import { secrets as clientSecrets, hosts, passwords } from '../fixtures.ts';
import { oldPassword } from '../members/recover.ts';
import { newPassword } from '../members/sign-up.ts';
import type { TestService } from '../service.ts';
import type { Tokens } from '../visitor.ts';

/** What is expected of an event; where nothing is said it was done, at tenant A, from this machine. */
type Expected = Partial<Omit<AuditEvent, 'reason'>> &
  Pick<AuditEvent, 'event'> & { readonly reason?: RegExp | null };

/** Watches over what a service writes down, and that no secret is in it. */
export interface AuditWatch {
  /** Remembers secrets that were issued, used or guessed. */
  note(...values: readonly (string | undefined)[]): void;
  noteTokens(tokens: Tokens): Tokens;
  /** What was written down since this was asked last, oldest first. */
  newEvents(): Promise<readonly StoredAuditEvent[]>;
  /** Runs something, and holds what was written down to what is expected, in order and nothing else. */
  leaves<T>(work: () => Promise<T>, ...expected: readonly Expected[]): Promise<T>;
  /** Holds all rows and lines to be free of every secret, where there were this many of both. */
  expectNoSecrets(least: { readonly kinds: number; readonly secrets: number }): Promise<void>;
}

export function watchAudit(service: TestService): AuditWatch {
  let lastId = 0;
  const secrets = new Set<string>();
  const note = (...values: readonly (string | undefined)[]) => {
    for (const value of values) if (value !== undefined && value !== '') secrets.add(value);
  };
  note(...Object.values(passwords[hosts.a]), ...Object.values(clientSecrets), oldPassword, newPassword);

  async function newEvents(): Promise<readonly StoredAuditEvent[]> {
    const all = await service.store.transaction((tx) => listAuditEvents(tx, {}, 1_000));
    const fresh = all.filter(({ id }) => id > lastId).toSorted((one, other) => one.id - other.id);
    lastId = Math.max(lastId, ...all.map(({ id }) => id));
    return fresh;
  }

  async function leaves<T>(work: () => Promise<T>, ...expected: readonly Expected[]): Promise<T> {
    await newEvents();
    const lines = service.logLines.length;
    const begun = service.clock.now();
    const result = await work();
    const ended = service.clock.now();
    const events = await newEvents();
    expect(events.map(({ event }) => event)).toEqual(expected.map(({ event }) => event));
    for (const [index, { reason, ...facts }] of expected.entries()) {
      const event = events[index];
      expect(event).toMatchObject({
        tenantId: tenantOf(service, hosts.a).id,
        address: '127.0.0.1',
        result: 'done',
        ...facts,
      });
      expect(event?.at).toBeGreaterThan(begun);
      expect(event?.at).toBeLessThan(ended);
      if (reason === null) expect(event?.reason).toBeNull();
      else if (reason !== undefined) expect(event?.reason).toMatch(reason);
    }
    const logged = service.logLines.slice(lines).map((line) => JSON.parse(line));
    expect(logged.filter(({ msg }) => msg === 'audit').map(({ audit }) => audit)).toEqual(
      events.map(({ id: _, at, ...event }) => ({ ...event, at: new Date(at).toISOString() })),
    );
    return result;
  }

  return {
    note,
    noteTokens: (tokens) => {
      note(
        tokens.access_token,
        tokens.id_token,
        tokens.refresh_token,
        tokens.refresh_token?.split('.').at(-1),
      );
      return tokens;
    },
    newEvents,
    leaves,
    expectNoSecrets: async (least) => {
      const rows = await service.store.transaction((tx) => listAuditEvents(tx, {}, 10_000));
      const kinds = new Set(rows.map(({ event }) => event));
      expect(kinds.size).toBeGreaterThanOrEqual(least.kinds);
      expect(secrets.size).toBeGreaterThanOrEqual(least.secrets);
      const all = `${JSON.stringify(rows)}\n${service.logLines.join('')}`;
      for (const secret of secrets) {
        for (const text of [secret, encodeURIComponent(secret)]) expect(all.includes(text), text).toBe(false);
      }
    },
  };
}

export const byMember = (actorId: string) => ({ actorKind: 'member', actorId }) as const;
export const byClient = (clientId: string) => ({ actorKind: 'client', actorId: clientId, clientId }) as const;
export const refused = (clientId: string) => ({ ...byClient(clientId), result: 'refused' }) as const;

/** The id of the member of tenant A with an address. */
export async function idOf(service: TestService, email: string): Promise<string> {
  const row = await service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .select('id')
      .where('tenantId', '=', tenantOf(service, hosts.a).id)
      .where('email', '=', email)
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}
