// A service whose tenant asks its old system for members, with the name service, the waits and the clock in the test's hands.
import { beforeEach } from 'vitest';
import { findMemberByEmail } from '../../../../src/storage/members/member.ts';
import { setLimits, tenantOf } from '../../device.ts';
import { hosts } from '../../fixtures.ts';
import { handSchedule } from '../../hand-schedule.ts';
import type { Answer } from '../../http.ts';
import { auditEvents } from '../../operators/api.ts';
import { testOutbound } from '../../outbound/receiver.ts';
import { useService } from '../../use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../visitor.ts';

export const tenant = hosts.a;
/** What members signed in with there. */
export const password = 'from the old system';

export function useAsking() {
  const hand = handSchedule();
  const state = {
    /** What the name service answers: this machine, unless a test says otherwise. */
    resolved: ['127.0.0.1'],
    dialled: [] as string[],
    /** How long a no waits: until the test lets it. */
    pausing: async (_ms: number): Promise<void> => {},
  };
  const service = useService({
    data: 'security',
    pause: (ms) => state.pausing(ms),
    outbound: testOutbound({
      clock: Date.now,
      schedule: hand.schedule,
      resolve: async () => {
        const [address = ''] = state.resolved;
        state.dialled.push(address);
        // A name that leads elsewhere when it is asked for again.
        if (state.resolved.length > 1) state.resolved = state.resolved.slice(1);
        return address.split(' ').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }));
      },
    }),
  });
  beforeEach(async () => {
    Object.assign(state, { resolved: ['127.0.0.1'], dialled: [], pausing: async () => {} });
    await setLimits(service, tenant, { failedSignInsPerAddressAndMinute: null });
  });
  return {
    hand,
    state,
    service,
    signIn: async (email: string, typed = password, host: string = tenant): Promise<Answer> => {
      const browser = visitor(service, host);
      const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
      return browser.signIn(page, email, typed);
    },
    memberOf: (email: string) =>
      service.store.transaction(async (tx) => findMemberByEmail(tx, tenantOf(service, tenant).id, email)),
    /** Why sign-ins were refused, as the audit says it. */
    reasons: async () =>
      (await auditEvents(service))
        .filter(({ event }) => event === 'sign_in_refused')
        .map(({ reason }) => reason),
  };
}
