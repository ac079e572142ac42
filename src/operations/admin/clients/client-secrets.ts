// The operations on the secrets of clients.
import { isoTime } from '../../../core/access/iso-time.ts';
import { sha256 } from '../../../core/hash.ts';
import { liveSecrets } from '../../../core/limits.ts';
import { asSecret, resource, text, time } from '../../../json-schema.ts';
import { findRegisteredClient } from '../../../storage/client.ts';
import { changeClient } from '../../client/client.ts';
import { conflict, invalid, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { clientAnswer, clientIdField, clientSchema, secretIdField, secretIdOf } from './client-answer.ts';

const added = onTenant<{ readonly clientId: string }>({
  name: 'clients.addSecret',
  summary:
    'Give a client a second secret, to take the place of the first; it is in this answer and nowhere else',
  portal: { page: 'clients.read', reads: 'clients.read' },
  permission: 'clients:write',
  method: 'POST',
  path: '/clients/{clientId}/secrets',
  fields: { clientId: clientIdField },
  output: resource('NewClientSecret', 'The secret', {
    secretId: secretIdField,
    secret: asSecret(text('The client_secret: shown once', 'cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs')),
    createdAt: time('When it was made'),
  }),
  made: 'secretId',
  run: async ({ tx, tenant, random, now }, { clientId }) => {
    const client = await findRegisteredClient(tx, tenant.id, clientId);
    if (client === null) throw unknown('client');
    if (client.type === 'public') throw invalid([], 'public_client_secret');
    if (client.secrets.length >= liveSecrets) {
      throw conflict([], 'secrets_used_up', { most: liveSecrets });
    }
    const secret = random.secret();
    const stored = { hash: sha256(secret), createdAt: now };
    await changeClient(tx, tenant.id, clientId, { secrets: [...client.secrets, stored] });
    return { secretId: secretIdOf(stored), secret, createdAt: isoTime(now) };
  },
});

const removed = onTenant<{ readonly clientId: string; readonly secretId: string }>({
  name: 'clients.removeSecret',
  summary: 'Take a secret from a client: it works no more from now on',
  portal: { page: 'clients.read', reads: 'clients.read', ends: true },
  permission: 'clients:write',
  method: 'DELETE',
  path: '/clients/{clientId}/secrets/{secretId}',
  fields: { clientId: clientIdField, secretId: secretIdField },
  output: clientSchema,
  run: async ({ tx, tenant }, { clientId, secretId }) => {
    const client = await findRegisteredClient(tx, tenant.id, clientId);
    if (client === null) throw unknown('client');
    const kept = client.secrets.filter((secret) => secretIdOf(secret) !== secretId);
    if (kept.length === client.secrets.length) throw unknown('secret');
    if (kept.length === 0) throw conflict('secretId', 'only_secret');
    const changed = await changeClient(tx, tenant.id, clientId, { secrets: kept });
    return clientAnswer(changed ?? client);
  },
});

export const clientSecretOperations: readonly Operation[] = [added, removed];
