import { expect, it } from 'vitest';
import { accessTokenAnswer, mayAskAbout } from '../../../src/core/oidc/introspection.ts';
import { clientRecord } from '../../support/records/records.ts';

const asker = clientRecord({ clientId: 'api', apis: ['https://api.test'] });
const own = 'urn:memberdoor:api';

it('N4: a client may ask about its own tokens, those of the member API, and those of its APIs', () => {
  const of = (client_id: string, aud: unknown) => mayAskAbout(asker, { client_id, aud }, own);
  expect([of('api', 'https://other.test'), of('app', own), of('app', 'https://api.test')]).toEqual([
    true,
    true,
    true,
  ]);
  expect(of('app', ['https://other.test', 'https://api.test'])).toBe(true);
  expect([of('app', 'https://other.test'), of('app', []), of('app', undefined)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(mayAskAbout('operator', { client_id: 'app', aud: 'https://other.test' }, own)).toBe(true);
});

it('I49: a token that is bound to a key says so, and to which', () => {
  expect(accessTokenAnswer({ sub: 'ada', cnf: { jkt: 'x' }, sid: 'session', username: 'Ada' })).toEqual({
    active: true,
    token_type: 'DPoP',
    sub: 'ada',
    cnf: { jkt: 'x' },
  });
});
