import { expect } from 'vitest';
import { run } from '../../operators/desk.ts';
import { field } from '../../visitor.ts';
import { endAll, endSession, sessionLives, useSession } from './moves.ts';
import { addSession, host, type ModelClient, type ModelMember, type World } from './world.ts';

/** A member signs in on the phone, by the form. */
export async function signIn(world: World, member: ModelMember): Promise<void> {
  const { phone } = member;
  useSession(world, member);
  const { headers } = await phone.send('/device');
  const answer = await phone.signIn(
    await phone.send(String(headers.location)),
    member.email,
    member.password,
  );
  expect(answer.headers.location, answer.text).toBe('/device');
  member.session = addSession(world, member);
}

/** A member signs out on the phone, by a client's logout. */
export async function signOut(world: World, member: ModelMember): Promise<void> {
  const session = useSession(world, member);
  if (session !== null) endSession(session);
  await member.phone.signOut();
  member.session = null;
}

/** A member signs every TV and app out, on the account page; the browser stays. */
export async function signOutDevices(world: World, member: ModelMember): Promise<void> {
  useSession(world, member);
  // Where nothing is listed the page has no button, but a form may be open from before.
  const page = await member.phone.send('/account/password');
  const answer = await member.phone.send('/account/devices', {
    body: { token: field(page, 'token'), action: 'sign-out-all' },
  });
  expect(answer.headers.location, answer.text).toBe('/account/devices');
  endAll(world, (thing) => thing.member === member, 'signed_out');
}

/** A member chooses another password, on the account page. */
export async function changePassword(world: World, member: ModelMember, everywhere: boolean): Promise<void> {
  const own = useSession(world, member);
  const page = await member.phone.send('/account/password');
  const password = `${member.password} and more`;
  const body = {
    token: field(page, 'token'),
    currentPassword: member.password,
    password,
    ...(everywhere ? { everywhere: 'yes' } : {}),
  };
  const answer = await member.phone.send('/account/password', { body });
  expect(answer.headers.location, answer.text).toBe('/account/sessions');
  member.password = password;
  if (own !== null) own.lastUsedAt = world.now;
  if (!everywhere) return;
  endAll(world, (thing) => thing.member === member, 'signed_out');
  for (const session of world.sessions) if (session.member === member && session !== own) endSession(session);
}

/** Everything that a member's sign-ins began is over. */
function endMember(world: World, member: ModelMember, reason: string): void {
  endAll(world, (thing) => thing.member === member, reason);
  for (const session of world.sessions) if (session.member === member) endSession(session);
}

export async function signOutEverywhere(world: World, member: ModelMember): Promise<void> {
  await run(world.service, 'members.signOutEverywhere', { tenant: host, memberId: member.id });
  endMember(world, member, 'signed_out');
}

export async function setActive(world: World, member: ModelMember, isActive: boolean): Promise<void> {
  const name = isActive ? 'members.enable' : 'members.disable';
  await run(world.service, name, { tenant: host, memberId: member.id });
  if (!isActive && member.isActive) endMember(world, member, 'member_inactive');
  member.isActive = isActive;
}

export async function setDisabled(world: World, client: ModelClient, isDisabled: boolean): Promise<void> {
  const name = isDisabled ? 'clients.disable' : 'clients.enable';
  await run(world.service, name, { tenant: host, clientId: client.clientId });
  if (isDisabled && !client.isDisabled) {
    endAll(world, (thing) => thing.client === client, 'client_disabled');
  }
  client.isDisabled = isDisabled;
}

/** Whether the phone's cookie still opens the pages. */
export const isSignedIn = (world: World, { session, isActive }: ModelMember) =>
  isActive && session !== null && sessionLives(world, session);
