// The ways in which a sign-in is refused that may not be told apart (A1), to measure what each takes.
import { expect } from 'vitest';
import { disableMember } from '../../../src/operations/member/member.ts';
import { hosts } from '../fixtures.ts';
import type { TestService } from '../service.ts';
import { authorizationParameters, pkce, visitor } from '../visitor.ts';
import { addMember } from './recover.ts';

const kinds = ['wrong password', 'unknown address', 'disabled account'] as const;
type Kind = (typeof kinds)[number];

export interface Nos {
  readonly kinds: readonly Kind[];
  /** Lets a day pass, after which the third failure in a row costs what the first one did. */
  refresh(): Promise<void>;
  /** One sign-in that is refused. */
  attempt(kind: Kind): Promise<void>;
  /** Measures so many of each. @returns for each kind what was measured */
  sample(
    count: number,
    measure: (attempt: () => Promise<void>) => Promise<number>,
  ): Promise<readonly (readonly number[])[]>;
}

/** With a member of a.test for each kind. */
export async function nosOf(service: TestService): Promise<Nos> {
  const wrong = await addMember(service, hosts.a);
  const disabled = await addMember(service, hosts.a);
  await service.store.transaction((tx) =>
    disableMember(tx, disabled.tenantId, disabled.id, service.clock.now()),
  );
  const emails = {
    'wrong password': wrong.email,
    'unknown address': 'r9@example.test',
    'disabled account': disabled.email,
  };
  const browser = visitor(service, hosts.a);
  const parameters = authorizationParameters('pub1', 'https://pub1.test/cb', pkce());
  let page = await browser.authorize(parameters);
  const refresh = async () => {
    service.clock.advance(24 * 60 * 60_000);
    page = await browser.authorize(parameters);
  };
  const attempt = async (kind: Kind) => {
    expect((await browser.signIn(page, emails[kind], 'wrong one')).status).toBe(422);
  };
  return {
    kinds,
    refresh,
    attempt,
    sample: async (count, measure) => {
      const measured = kinds.map(() => [] as number[]);
      for (let sample = 0; sample < count; sample += 1) {
        // One of each in turn, each time in another order, so that what else the machine does meets all alike.
        for (let turn = 0; turn < kinds.length; turn += 1) {
          const index = (sample + turn) % kinds.length;
          measured[index]?.push(await measure(() => attempt(kinds[index] ?? kinds[0])));
        }
        await refresh();
      }
      return measured;
    },
  };
}
