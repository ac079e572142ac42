import { sha256 } from '../../../../src/core/hash.ts';
import type { EmailProofPurpose } from '../../../../src/core/members/email-proof.ts';
import { hashProofCode } from '../../../../src/operations/email-proof/email-proof.ts';
import { noticeUrl } from '../../../../src/operations/session/notice.ts';
import { seal } from '../../../../src/secrets/seal.ts';
import { insertEmailProof } from '../../../../src/storage/members/email-proof.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { testClock } from '../../clock.ts';
import { formValue } from '../../members/form-token.ts';
import { emailProofRecord } from '../../records/email-proof-record.ts';
import { type Cell, noId, scrambled, unsealed } from './cell.ts';
import { accountToken, sealCell } from './seal-cells.ts';
import type { Side } from './side.ts';

/** A proof of an address that waits, as the mail has it. */
interface Waiting {
  readonly id: string;
  readonly link: string;
  readonly digits: string;
}

const payloads = (side: Side): Readonly<Record<EmailProofPurpose, object>> => {
  const flow = {
    startedAt: side.service.clock.now(),
    parameters: null,
    returnTo: '/account',
    language: null,
  };
  return {
    sign_in: {},
    sign_up: {
      fullName: 'New',
      email: 'new@example.test',
      language: 'en',
      flow,
      consents: [],
      passwordHash: 'x',
    },
    email_change: { email: `other-${side.email}` },
    password_reset: { language: 'en', flow },
  };
};

async function proofOf(side: Side, purpose: EmailProofPurpose): Promise<Waiting> {
  const { service, tenant, memberId } = side;
  const now = service.clock.now();
  const [id, link, digits] = [systemRandom.id(now), systemRandom.secret(), systemRandom.digits()];
  await service.store.transaction(async (tx) =>
    insertEmailProof(
      tx,
      emailProofRecord({
        id,
        tenantId: tenant.id,
        purpose,
        state: 'pending',
        email: `${id}@example.test`,
        memberId: purpose === 'sign_up' ? null : memberId,
        askedBy: sha256(side.browserSecret),
        linkHash: sha256(link),
        codeHash: hashProofCode(tenant.tokenKey, id, digits),
        payload: JSON.stringify(payloads(side)[purpose]),
        createdAt: now,
        expiresAt: now + 3_600_000,
      }),
    ),
  );
  return { id, link, digits };
}

const linkOf = (purpose: EmailProofPurpose) => async (side: Side) => (await proofOf(side, purpose)).link;

/** The link of a mail, opened and its button pressed. */
const links: readonly Cell[] = (
  [
    ['/sign-up/confirm', 'sign_up', () => ({})],
    ['/recover/reset', 'password_reset', () => ({ password: 'x' })],
    ['/account/email/confirm', 'email_change', (side: Side) => ({ token: accountToken(side) })],
  ] as const
).flatMap(([path, purpose, fields]): readonly Cell[] => {
  const cell = (method: 'GET' | 'POST', use: Cell['use']): Cell => ({
    artefact: 'link of a mail',
    route: `${method} ${path}/:secret`,
    make: linkOf(purpose),
    madeUp: scrambled,
    use,
  });
  return [
    cell('GET', ({ browser }, value) => browser.send(`${path}/${value}`)),
    cell('POST', (side, value) => side.browser.send(`${path}/${value}`, { body: fields(side) })),
  ];
});

const sealedProof = (side: Side, proofId: string) =>
  seal(side.tenant.tokenKey, 'proof', side.browserSecret, { proofId });

const proofs: readonly Cell[] = [
  ...(['GET', 'POST'] as const).flatMap((method): readonly Cell[] => [
    {
      artefact: 'proof of an address',
      route: `${method} /sign-up/verify`,
      make: async (side) => sealedProof(side, (await proofOf(side, 'sign_up')).id),
      madeUp: unsealed,
      use: ({ browser }, value) =>
        method === 'GET'
          ? browser.send(`/sign-up/verify?proof=${value}`)
          : browser.send('/sign-up/verify', { body: { proof: value, code: '12' } }),
    },
    {
      artefact: 'proof of an address',
      route: `${method} /account/email/verify/:proof`,
      make: async (side) => (await proofOf(side, 'email_change')).id,
      madeUp: noId,
      use: (side, value) =>
        side.browser.send(
          `/account/email/verify/${value}`,
          method === 'GET' ? {} : { body: { token: accountToken(side), code: '12' } },
        ),
    },
  ]),
];

/** The digits of one side are typed into a page of the other, whose own mail had others. */
const digitCells: readonly Cell[] = (
  [
    ['POST /sign-up/verify', 'sign_up'],
    ['POST /account/email/verify/:proof', 'email_change'],
  ] as const
).map(([route, purpose]): Cell => {
  const own = new WeakMap<Side, string>();
  return {
    artefact: 'digits of a mail',
    route,
    make: async (side) => {
      const proof = await proofOf(side, purpose);
      own.set(side, proof.id);
      return proof.digits;
    },
    madeUp: (genuine) => (genuine.startsWith('0') ? '9' : '0') + genuine.slice(1),
    use: async (side, code) => {
      const id = own.get(side) ?? (await proofOf(side, purpose)).id;
      own.set(side, id);
      return purpose === 'sign_up'
        ? side.browser.send('/sign-up/verify', { body: { proof: sealedProof(side, id), code } })
        : side.browser.send(`/account/email/verify/${id}`, { body: { token: accountToken(side), code } });
    },
    counts: ['emailProofs'],
  };
});

const noticeOf = (side: Side) => {
  const { tenant, memberId, sessionId, service } = side;
  const url = noticeUrl(tenant, { memberId, at: service.clock.now(), what: { sessionId } });
  return url.slice(url.lastIndexOf('/') + 1);
};

/** The same notice each time, of a session that there is not. */
const onlyNotice = ({ tenant, memberId }: Side) => {
  const url = noticeUrl(tenant, { memberId, at: testClock().now(), what: { sessionId: 'none' } });
  return url.slice(url.lastIndexOf('/') + 1);
};

const noticeToken = (side: Side, notice: string) =>
  seal(side.tenant.tokenKey, 'form', side.browserSecret, formValue(`not me ${notice}`));

const notices: readonly Cell[] = [
  {
    artefact: 'link of a notice',
    route: 'GET /not-me/:notice',
    make: noticeOf,
    madeUp: unsealed,
    use: ({ browser }, value) => browser.send(`/not-me/${value}`),
  },
  {
    artefact: 'link of a notice',
    route: 'POST /not-me/:notice',
    make: noticeOf,
    madeUp: unsealed,
    use: (side, value) =>
      side.browser.send(`/not-me/${value}`, { body: { token: noticeToken(side, value) } }),
  },
  sealCell(
    'notice form token',
    'POST /not-me/:notice',
    'form',
    (side) => formValue(`not me ${onlyNotice(side)}`),
    (side, token) => side.browser.send(`/not-me/${onlyNotice(side)}`, { body: { token } }),
  ),
];

export const mailCells: readonly Cell[] = [...links, ...proofs, ...digitCells, ...notices];
