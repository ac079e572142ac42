import { expect, it } from 'vitest';
import { codesFor, phoneOf, poll, pollTokens } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { apps, claimsOf, refreshAs } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

it('a deleted member leaves what happened in the audit, and none of the addresses it came from', async () => {
  const tv = await codesFor(service, hosts.a);
  await (await phoneOf(service, hosts.a)).approve(tv.user_code);
  const tokens = await pollTokens(service, hosts.a, tv.device_code);
  const memberId = String(claimsOf(tokens.access_token).sub);
  await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
  await poll(service, hosts.a, tv.device_code);
  await accountOf(service, hosts.a, 'u2@example.test');
  const named = { tenant: hosts.a, memberId };
  await run(service, 'members.change', { ...named, nickName: 'One' });
  const before = await auditEvents(service);
  await run(service, 'members.delete', named);
  const after = await auditEvents(service);

  // What was changed of her goes with her: it holds what she was called.
  const facts = (events: typeof after) => events.map(({ address: _, changes: _changes, ...event }) => event);
  expect(before.some(({ changes }) => changes !== null)).toBe(true);
  expect(after.filter(({ changes }) => changes !== null)).toEqual([]);
  expect(facts(after).slice(0, before.length)).toEqual(facts(before));
  expect(JSON.stringify(after)).not.toContain('u1@example.test');
  const kept = after.filter(({ address }) => address !== null);
  const whose = kept.map(({ event, actorKind, actorId }) => `${event} ${actorKind} ${actorId === memberId}`);
  // Another member's sign-in, what the operator did, and nothing else.
  expect(whose).toEqual([
    'sign_in member false',
    'admin_acted operator false',
    'session_ended operator false',
    'member_deleted operator false',
    'admin_acted operator false',
  ]);
});
