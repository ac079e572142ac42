import {
  allowClients,
  initialToken,
  manageAt,
  metadata,
  registerAt,
  registrationUrl,
} from '../../requests/registration.ts';
import { type Cell, scrambled } from './cell.ts';
import type { Side } from './side.ts';

/** A client_id that each side registers anew, and the token that changes it. */
const registrationOf = async (side: Side) => {
  const token = await openTo(side);
  const answer = await registerAt(side.service, side.host, metadata, { authorization: `Bearer ${token}` });
  const { client_id: clientId, registration_access_token: secret } = answer.json<Record<string, string>>();
  return `${clientId}.${secret}`;
};

const openTo = async ({ service, host }: Side) => {
  await allowClients(service, host, {
    clientRegistration: 'token',
    limits: { registrationsPerAddressAndHour: null, registrationsPerHour: null } as never,
  });
  return initialToken(service, host, 10);
};

const manage = ({ service, host }: Side, value: string, method: string) => {
  const [clientId = '', token = ''] = value.split('.');
  const body = method === 'PUT' ? { body: { ...metadata, client_id: clientId } } : {};
  return manageAt(service, host, clientId, { method, token, ...body });
};

/** What clients that register themselves are given. */
export const registrationCells: readonly Cell[] = [
  {
    artefact: 'initial access token',
    route: `POST ${registrationUrl}`,
    make: openTo,
    madeUp: scrambled,
    use: ({ service, host }, token) =>
      registerAt(service, host, metadata, { authorization: `Bearer ${token}` }),
  },
  ...['GET', 'PUT', 'DELETE'].map(
    (method): Cell => ({
      artefact: 'registration access token',
      route: `${method} ${registrationUrl}/:clientId`,
      make: registrationOf,
      madeUp: (genuine) => genuine.split('.').map(scrambled).join('.'),
      use: (side, value) => manage(side, value, method),
    }),
  ),
];
