// What the sweep deletes of sign-ins, sessions and codes.
import type { Client } from '../../core/client.ts';
import { type AuthorizationCode, isUnusedCodeForgotten } from '../../core/grants/authorization-code.ts';
import { overAt, type SignIn } from '../../core/grants/sign-in.ts';
import { sweepBite, usedCodeMemory } from '../../core/operators/limits.ts';
import { isSessionForgotten, type Session } from '../../core/session.ts';
import { prepared, query } from '../prepared.ts';
import { type Sweep, walked } from './sweep.ts';

/**
 * What is remembered as long as something else lives has no time of its own that an index could hold without
 * costing each refresh: these rows are walked over. A row goes after all that refers to it.
 */

type SignInPart = Pick<SignIn, 'id' | 'scope' | 'createdAt' | 'rotatedAt' | 'endedAt'> &
  Pick<Client, 'accessTokenSeconds' | 'refreshTokenIdle' | 'refreshTokenAbsolute'>;

/**
 * Sign-ins that were over long ago, with the codes that began them.
 *
 * @param memory how long a sign-in is remembered after it was over (ms)
 */
export function forgottenSignIns(now: number, memory: number): Sweep {
  return walked<SignInPart>('signIns', {
    page: (tx, after) => signInsAfter.all(tx, { id: after }),
    keyOf: ({ id }) => id,
    forget: (tx, signIn) => {
      const over = overAt(signIn, signIn);
      if (now < over + usedCodeMemory) return 0;
      const { id } = signIn;
      const codes = codesOfSignIn.run(tx, { signInId: id }) + deviceCodesOfSignIn.run(tx, { signInId: id });
      return codes + (now < over + Math.max(memory, usedCodeMemory) ? 0 : signInDeletion.run(tx, { id }));
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
export function forgottenSessions(now: number): Sweep {
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
export function forgottenCodes(now: number): Sweep {
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
