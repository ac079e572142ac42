import { beforeAll, describe, expect, it } from 'vitest';
import { eventPayload, type ToldEvent } from '../../../src/core/events/event.ts';
import { deleteMember } from '../../../src/operations/member/member.ts';
import { listEvents } from '../../../src/storage/events/event.ts';
import { tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { liveAndLeaveTraces, personal } from '../../support/members/erased.ts';
import { newPassword } from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';

describe('what is told of the life of a member (decision 49)', () => {
  const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
  let memberId: string;
  let events: readonly ToldEvent[];

  beforeAll(async () => {
    memberId = await liveAndLeaveTraces(service);
    const { id: tenantId } = tenantOf(service, hosts.a);
    const now = service.clock.now();
    await service.deps.store.transaction((tx) => deleteMember(tx, tenantId, memberId, now));
    await service.eventsNumbered();
    events = await service.store.transaction((tx) => listEvents(tx, tenantId, 0, 1_000));
  });

  it('is told in its order, each change once', () => {
    const told = events.map(({ type, detail, changed }) =>
      [type, ...(changed ?? []), ...(detail === null ? [] : [detail])].join(' '),
    );
    expect(told).toEqual([
      'member.created',
      'session.started',
      'member.updated nickName phone language',
      'member.updated address',
      'member.updated email',
      'member.email_verified',
      'sign_in.started',
      'sign_in.ended refresh_token_reused',
      'device.approved',
      'sign_in.started',
      'sign_in.ended device_code_reused',
      'device.revoked device_code_reused',
      'member.deletion_asked',
      'member.deletion_cancelled',
      'session.ended signed_out',
      'member.deleted',
    ]);
  });

  it('EV2: names her by her id alone, and holds nothing that she is known by', () => {
    expect(new Set(events.map((event) => event.memberId))).toEqual(new Set([memberId]));
    const text = JSON.stringify(events.map(eventPayload)).toLowerCase();
    const secrets = [...Object.values(personal), newPassword];
    expect(secrets.filter((secret) => text.includes(secret.toLowerCase()))).toEqual([]);
  });
});
