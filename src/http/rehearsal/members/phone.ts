// Decides on TVs of development tenants: once, or each new one by itself, as a member would on a phone.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type DeviceCode, isOpen } from '../../../core/grants/device-code.ts';
import { hashUserCode, readUserCode } from '../../../core/grants/user-code.ts';
import { sha256 } from '../../../core/hash.ts';
import { type Session, sessionLives } from '../../../core/session.ts';
import { type Decider, decideDevice } from '../../../operations/device/decide-device.ts';
import { oneOf, orNull, someOf, text } from '../../../operations/json-schema.ts';
import { enter } from '../../../operations/sign-in/enter.ts';
import { findDeviceCode, findDeviceCodeByUserCode } from '../../../storage/grants/device-code.ts';
import { listActiveSessions } from '../../../storage/grants/session.ts';
import type { MemberWithPassword } from '../../../storage/members/member.ts';
import { expireDeviceCode } from '../../../storage/rehearsal/device-code.ts';
import type { Tx } from '../../../storage/store.ts';
import { protocolError } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { requestLanguage } from '../../pages/pages.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import { endpointOf } from '../wire/watch.ts';
import { enterChosen, findChosen, membersToChoose } from './chosen.ts';

const verdicts = ['approve', 'reject', 'expire'] as const;
type Verdict = (typeof verdicts)[number];

/** How the phone of a tenant answers by itself. */
interface Phone {
  readonly answer: Verdict;
  /** The address of the member who holds it. */
  readonly member: string;
}

export type Phones = ReturnType<typeof createPhones>;

/** The phones that answer by themselves, of each tenant, until a reset or the end of the process. */
export function createPhones() {
  let phones = new Map<string, Phone>();
  return {
    of: (tenantId: string): Phone | null => phones.get(tenantId) ?? null,
    /** @param phone null to let it wait for a member again */
    set(tenantId: string, phone: Phone | null): void {
      if (phone === null) phones.delete(tenantId);
      else phones.set(tenantId, phone);
    },
    keep() {
      const kept = new Map(phones);
      return () => {
        phones = new Map(kept);
      };
    },
  };
}

const verdict = oneOf('Verdict', 'What becomes of the TV', verdicts);
const member = text(
  'The email address of the member with the phone; the first of the tenant unless given',
  'ada@example.com',
);

/** GET and POST /rehearsal/phone, for each TV from now on; POST /rehearsal/device, for one. */
export function phoneDeeds(phones: Phones, deps: Deps): readonly Deed[] {
  const told = (tenantId: string) => phones.of(tenantId) ?? { answer: null, member: null };
  return [
    deed({
      method: 'GET',
      path: '/phone',
      fields: someOf('Nothing', {}),
      run: (_input, { tenant }) => told(tenant.id),
    }),
    deed({
      method: 'POST',
      path: '/phone',
      fields: {
        ...someOf('How the phone answers', {
          answer: orNull({ ...verdict, enum: [...verdicts, null] }, 'that it waits for a member'),
          member,
        }),
        required: ['answer'],
      },
      async run({ answer = null, member: email }, request) {
        const { tenant } = request;
        const found = await transactionOf(request, deps, (tx) => holderOf(tx, tenant.id, email, deps));
        phones.set(tenant.id, answer === null ? null : { answer, member: found.member.email });
        return told(tenant.id);
      },
    }),
    deed({
      method: 'POST',
      path: '/device',
      fields: {
        ...someOf('A TV and what becomes of it', {
          user_code: text('The six digits that it shows', '524 366'),
          answer: verdict,
          member,
        }),
        required: ['user_code', 'answer'],
      },
      async run({ user_code: typed = '', answer = 'approve', member: email }, request) {
        const digits = readUserCode(typed);
        if (digits === null) throw protocolError('invalid_request', 'user_code must be six digits');
        const { tenant } = request;
        await transactionOf(request, deps, async (tx) => {
          const code = await findDeviceCodeByUserCode(tx, tenant.id, hashUserCode(tenant.tokenKey, digits));
          if (code === null) throw new DeedRefused('no TV shows this code', 404);
          if (!isOpen(code, deps.clock())) throw new DeedRefused('the code of this TV is decided or over');
          await decide(tx, request, code, { answer, email }, deps);
        });
        return { user_code: typed, answer };
      },
    }),
  ];
}

/** Lets the phone of a tenant answer for each new TV, before the TV has its code. */
export function answerTvs(app: FastifyInstance, phones: Phones, deps: Deps): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const phone = request.tenant?.development === true ? phones.of(request.tenant.id) : null;
    if (phone === null || reply.statusCode !== 200 || endpointOf(request) !== 'device') return done();
    const { device_code: deviceCode } = JSON.parse(String(payload)) as { readonly device_code: string };
    const decided = transactionOf(request, deps, async (tx) => {
      const code = await findDeviceCode(tx, request.tenant.id, sha256(deviceCode));
      const { answer, member: email } = phone;
      if (code !== null) await decide(tx, request, code, { answer, email }, deps);
    });
    void decided
      .catch((error: unknown) =>
        request.log.error({ err: error }, 'the phone of the rehearsal room cannot answer'),
      )
      .then(() => done());
    return undefined;
  });
}

async function decide(
  tx: Tx,
  request: FastifyRequest,
  code: DeviceCode,
  { answer, email }: { readonly answer: Verdict; readonly email: string | undefined },
  deps: Deps,
): Promise<void> {
  if (answer === 'expire') return expireDeviceCode(tx, code, deps.clock());
  const { tenant } = request;
  const holder = await holderOf(tx, tenant.id, email, deps);
  await decideDevice(tx, tenant, code.id, answer, await deciderOf(tx, request, holder, deps), deps);
}

/** Who holds the phone: a member by address, or the first one of the tenant. */
async function holderOf(
  tx: Tx,
  tenantId: string,
  email: string | undefined,
  { clock }: Pick<Deps, 'clock'>,
): Promise<MemberWithPassword> {
  const now = clock();
  const all = email === undefined ? await membersToChoose(tx, tenantId, now) : [];
  const address = email ?? all.find(({ userType }) => userType === 'member')?.email ?? '';
  return findChosen(tx, tenantId, address, now);
}

/** What the phone says that it is. */
const phoneName = 'Memberdoor rehearsal phone';

/** The holder of the phone, signed in on it: by the session that it has, or by a new one. */
async function deciderOf(
  tx: Tx,
  request: FastifyRequest,
  holder: MemberWithPassword,
  deps: Deps,
): Promise<Decider> {
  const { member: owner } = holder;
  const language = requestLanguage(request, [], owner.locale);
  const own = await listActiveSessions(tx, owner.id);
  const known = own.find((one) => one.userAgent === phoneName && sessionLives(one, deps.clock()));
  if (known !== undefined) return { member: owner, session: known, language };
  const browser = {
    hash: sha256(phoneName),
    userAgent: phoneName,
    ipAddress: request.address,
    language,
    session: null,
  };
  const entered = await enterChosen(holder, (proven) =>
    enter(tx, request.tenant, proven, { kind: 'member', browser: async () => browser }, deps),
  );
  return { member: owner, session: (entered as { readonly session: Session }).session, language };
}
