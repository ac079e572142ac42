// What the phone of the room shows, and who holds it: POST /rehearsal/phone/open and /rehearsal/phone/be.
import type { FastifyRequest } from 'fastify';
import { exactly, oneOf, text } from '../../../operations/json-schema.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import { signInDeed } from '../members/sign-in.ts';
import type { Context } from './context.ts';

/** The QR code as it is, the address that is typed, and a QR code that someone changed. */
const pages = ['code', 'entry', 'tampered'] as const;

export function handDeeds(context: Context): readonly Deed[] {
  const signIn = signInDeed(context.deps);
  return [
    deed({
      method: 'POST',
      path: '/phone/open',
      fields: exactly('What the phone shows', { open: oneOf('PhonePage', 'One of these', pages) }),
      run: ({ open: page }, request) => open(context, request, page),
    }),
    deed({
      method: 'POST',
      path: '/phone/be',
      fields: exactly('Who holds the phone', {
        member: text('The email address of the member, who is signed in on it', 'ada@example.com'),
      }),
      async run({ member }, request, reply) {
        const told = await signIn.run({ member } as never, request, reply);
        return context.rooms.of(request.tenant.id).tv === null ? told : open(context, request, 'code');
      },
    }),
  ];
}

function open({ rooms }: Context, { tenant }: FastifyRequest, page: (typeof pages)[number]): object {
  const { tv, phone } = rooms.of(tenant.id);
  if (tv === null) throw new DeedRefused('the TV is off');
  const { address, completeAddress } = tv.code;
  const addresses = { code: completeAddress, entry: address, tampered: tampered(completeAddress) };
  const opened = pathOf(addresses[page], tenant.issuer);
  rooms.change(tenant.id, { phone: { address: opened, opened: phone.opened + 1 } });
  return { address: `${tenant.issuer}${opened}` };
}

/** The address below the tenant's own: the phone stands in a frame that shows no other. */
const pathOf = (address: string, issuer: string) =>
  address.startsWith(`${issuer}/`) ? address.slice(issuer.length) : '/device';

/** Another code than that of the TV: one that no TV shows, most likely. */
function tampered(address: string): string {
  const url = new URL(address);
  const code = url.searchParams.get('user_code') ?? '';
  url.searchParams.set(
    'user_code',
    code.replaceAll(/\d/g, (digit) => String(9 - Number(digit))),
  );
  return url.href;
}
