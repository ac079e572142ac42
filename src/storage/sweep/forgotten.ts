// What is forgotten after its time.
import type { CheckoutState } from '../../core/access/checkout.ts';
import { checkoutMemory, seatMemory } from '../../core/access/limits.ts';
import type { Client } from '../../core/client.ts';
import { eventMemory } from '../../core/events/limits.ts';
import { type AuthorizationCode, isUnusedCodeForgotten } from '../../core/grants/authorization-code.ts';
import { overAt, type SignIn } from '../../core/grants/sign-in.ts';
import {
  browserCookieLifetime,
  deviceCodeLifetime,
  deviceCodeMemory,
  signInLimit,
  userCodeRest,
  wrongUserCodes,
} from '../../core/limits.ts';
import { wrongSecondFactors } from '../../core/members/limits.ts';
import { ofSecondFactor } from '../../core/members/second-factor.ts';
import { figureMemory } from '../../core/operators/figures/limits.ts';
import {
  clocksDiffer,
  emailProofMemory,
  formerAddressMemory,
  idempotency,
  mailMemory,
  sweepBite,
  usedCodeMemory,
} from '../../core/operators/limits.ts';
import { isSessionForgotten, type Session } from '../../core/session.ts';
import { forgetFirstEvents } from '../events/event.ts';
import { prepared, query } from '../prepared.ts';
import type { RowOf } from '../rows.ts';
import { forgottenImports } from './imports.ts';
import { indexed, over, type Sweep, walked } from './sweep.ts';

/**
 * What has its time in an index: proofs of addresses, addresses given up, failed sign-ins, known browsers, mails,
 * what clients were told of sign-outs and a business of what happened, seats that are over, counters, ids that were used, pushed requests, and of each tenant wrong user
 * codes, figures, slowed entries and device codes that were never used (decision 22).
 * With them go the times of polls: there are few.
 *
 * @param now ms
 */
export function forgottenByTime(tenantIds: readonly string[], now: number): readonly Sweep[] {
  return [
    over('emailProofs', ['id'], (rows) => rows.where('expiresAt', '<', now - emailProofMemory)),
    over('formerAddresses', ['memberId', 'email'], (rows) =>
      rows.where('givenUpAt', '<', now - formerAddressMemory),
    ),
    over('signInFailures', ['tenantId', 'emailHash'], (rows) =>
      rows
        .where('lastFailedAt', '<', now - signInLimit.memory)
        .where('emailHash', 'not like', `${ofSecondFactor}%`),
    ),
    over('signInFailures', ['tenantId', 'emailHash'], (rows) =>
      rows.where('lastFailedAt', '<', now - wrongSecondFactors.memory),
    ),
    over('knownBrowsers', ['memberId', 'browserHash'], (rows) =>
      rows.where('lastSeenAt', '<', now - browserCookieLifetime),
    ),
    over('mails', ['id'], (rows) =>
      rows.where('state', 'in', ['sent', 'failed']).where('nextAttemptAt', '<', now - mailMemory),
    ),
    over('pushedRequests', ['hash'], (rows) => rows.where('expiresAt', '<', now)),
    over('logoutNotices', ['id'], (rows) =>
      rows.where('state', 'in', ['delivered', 'given_up']).where('nextAttemptAt', '<', now - mailMemory),
    ),
    over('webhookDeliveries', ['id'], (rows) =>
      rows.where('state', 'in', ['delivered', 'failed']).where('nextAttemptAt', '<', now - eventMemory),
    ),
    over('webhookAttempts', ['id'], (rows) => rows.where('at', '<', now - eventMemory)),
    indexed('events', (tx) => forgetFirstEvents(tx, now - eventMemory)),
    over('callsOnce', ['id'], (rows) => rows.where('createdAt', '<', now - idempotency.memory)),
    over('seats', ['id'], (rows) => rows.where('endedAt', '<', now - seatMemory)),
    over('seats', ['id'], (rows) =>
      rows.where('state', '=', 'invited').where('expiresAt', '<', now - seatMemory),
    ),
    over('counters', ['key'], (rows) => rows.where('endsAt', '<', now)),
    over('usedIds', ['tenantId', 'purpose', 'hash'], (rows) =>
      rows.where('expiresAt', '<', now - clocksDiffer),
    ),
    forgottenPollTimes(now),
    ...tenantIds.flatMap((tenantId) => [
      ...(['hour', 'day'] as const).map((unit) =>
        over('figures', ['tenantId', 'unit', 'at', 'name'], (rows) =>
          rows
            .where('tenantId', '=', tenantId)
            .where('unit', '=', unit)
            .where('at', '<', now - figureMemory[unit]),
        ),
      ),
      ...forgottenImports(tenantId, now),
      over('slowedEntries', ['tenantId', 'memberId'], (rows) =>
        rows.where('tenantId', '=', tenantId).where('overAt', '<', now),
      ),
      // They have no key of their own: the oldest go by their time, with those of the same millisecond.
      over('wrongUserCodes', ['tenantId', 'enteredAt'], (rows) =>
        rows
          .where('tenantId', '=', tenantId)
          .where('enteredAt', '<=', now - wrongUserCodes.window)
          .orderBy('enteredAt'),
      ),
      over('deviceCodes', ['id'], (rows) =>
        rows
          .where('tenantId', '=', tenantId)
          .where('state', 'in', ['pending', 'approved', 'denied', 'expired', 'withdrawn'])
          .where('expiresAt', '<=', now - Math.max(deviceCodeMemory, userCodeRest)),
      ),
    ]),
  ];
}

/** An index would have to be changed by each poll. */
function forgottenPollTimes(now: number): Sweep {
  return walked<PollTime>('pollTimes', {
    page: (tx, after) => pollTimesAfter.all(tx, { deviceCodeId: after }),
    keyOf: ({ deviceCodeId }) => deviceCodeId,
    forget: (tx, time) => (time.polledAt < now - deviceCodeLifetime ? pollTimeDeletion.run(tx, time) : 0),
  });
}

type PollTime = RowOf<'pollTimes'>;

const pollTimesAfter = prepared(({ deviceCodeId }: Pick<PollTime, 'deviceCodeId'>) =>
  query
    .selectFrom('pollTimes')
    .selectAll()
    .where('deviceCodeId', '>', deviceCodeId)
    .orderBy('deviceCodeId')
    .limit(sweepBite.rows),
);

const pollTimeDeletion = prepared(({ deviceCodeId }: Pick<PollTime, 'deviceCodeId'>) =>
  query.deleteFrom('pollTimes').where('deviceCodeId', '=', deviceCodeId),
);

const neverCompleted: readonly CheckoutState[] = ['open', 'cancelled', 'expired'];

/**
 * Every checkout that was never completed and cannot be any more: at once where nothing is paid before, later where a
 * provider may still report a payment.
 *
 * @param settled the payments of the first kind
 * @param now ms
 */
export function forgottenCheckouts(settled: readonly string[], now: number): readonly Sweep[] {
  return [
    over('checkouts', ['id'], (rows) =>
      rows
        .where('state', 'in', neverCompleted)
        .where('expiresAt', '<', now - checkoutMemory.settled)
        .where('payment', 'in', settled),
    ),
    over('checkouts', ['id'], (rows) =>
      rows.where('state', 'in', neverCompleted).where('expiresAt', '<', now - checkoutMemory.hosted),
    ),
  ];
}

/**
 * What is remembered as long as something else lives has no time of its own that an index could hold without costing
 * each refresh: these rows are walked over. In this order, since a row goes after all that refers to it.
 *
 * @param memory how long events of the audit are kept, and with them the sign-ins that they name (ms)
 * @param now ms
 */
export function forgottenWithOthers(memory: number, now: number): readonly Sweep[] {
  return [forgottenCodes(now), forgottenSignIns(now, memory), forgottenSessions(now)];
}

type SignInPart = Pick<SignIn, 'id' | 'scope' | 'createdAt' | 'rotatedAt' | 'endedAt'> &
  Pick<Client, 'accessTokenSeconds' | 'refreshTokenIdle' | 'refreshTokenAbsolute'>;

/** Sign-ins that were over long ago, with the codes that began them. */
function forgottenSignIns(now: number, memory: number): Sweep {
  return walked<SignInPart>('signIns', {
    page: (tx, after) => signInsAfter.all(tx, { id: after }),
    keyOf: ({ id }) => id,
    forget: async (tx, signIn) => {
      const over = overAt(signIn, signIn);
      if (now < over + usedCodeMemory) return 0;
      const { id } = signIn;
      const codes =
        (await codesOfSignIn.run(tx, { signInId: id })) +
        (await deviceCodesOfSignIn.run(tx, { signInId: id }));
      return (
        codes + (now < over + Math.max(memory, usedCodeMemory) ? 0 : await signInDeletion.run(tx, { id }))
      );
    },
  });
}

const signInsAfter = prepared(({ id }: Pick<SignIn, 'id'>) =>
  query
    .selectFrom('signIns')
    .innerJoin('clients', (on) =>
      on
        .onRef('clients.tenantId', '=', 'signIns.tenantId')
        .onRef('clients.clientId', '=', 'signIns.clientId'),
    )
    .select(['id', 'scope', 'signIns.createdAt', 'rotatedAt', 'endedAt'])
    .select(['accessTokenSeconds', 'refreshTokenIdle', 'refreshTokenAbsolute'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(sweepBite.rows),
);

const codesOfSignIn = prepared(({ signInId }: { signInId: string }) =>
  query.deleteFrom('authorizationCodes').where('signInId', '=', signInId),
);

const deviceCodesOfSignIn = prepared(({ signInId }: { signInId: string }) =>
  query.deleteFrom('deviceCodes').where('signInId', '=', signInId),
);

const signInDeletion = prepared(({ id }: Pick<SignIn, 'id'>) =>
  query.deleteFrom('signIns').where('id', '=', id),
);

/** Sessions that have not been used for long, unless a sign-in or a code that began in them is still remembered. */
function forgottenSessions(now: number): Sweep {
  return walked<Pick<Session, 'id' | 'lastUsedAt'>>('sessions', {
    page: (tx, after) => sessionsAfter.all(tx, { id: after }),
    keyOf: ({ id }) => id,
    forget: (tx, session) => (isSessionForgotten(session, now) ? sessionDeletion.run(tx, session) : 0),
  });
}

const sessionsAfter = prepared(({ id }: Pick<Session, 'id'>) =>
  query
    .selectFrom('sessions')
    .select(['id', 'lastUsedAt'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(sweepBite.rows),
);

const sessionDeletion = prepared(({ id }: Pick<Session, 'id'>) =>
  query
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('signIns').select('signIns.id').where('sessionId', '=', id))),
    )
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('authorizationCodes').select('hash').where('sessionId', '=', id))),
    )
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('deviceCodes').select('deviceCodes.id').where('sessionId', '=', id))),
    ),
);

/** Authorization codes that were never used. */
function forgottenCodes(now: number): Sweep {
  return walked<Pick<AuthorizationCode, 'hash' | 'state' | 'expiresAt'>>('authorizationCodes', {
    page: (tx, after) => codesAfter.all(tx, { hash: after }),
    keyOf: ({ hash }) => hash,
    forget: (tx, code) => (isUnusedCodeForgotten(code, now) ? codeDeletion.run(tx, code) : 0),
  });
}

const codesAfter = prepared(({ hash }: Pick<AuthorizationCode, 'hash'>) =>
  query
    .selectFrom('authorizationCodes')
    .select(['hash', 'state', 'expiresAt'])
    .where('hash', '>', hash)
    .orderBy('hash')
    .limit(sweepBite.rows),
);

const codeDeletion = prepared(({ hash }: Pick<AuthorizationCode, 'hash'>) =>
  query.deleteFrom('authorizationCodes').where('hash', '=', hash),
);
