import { expect, it } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { bannedWith } from '../../../src/core/registration/unverified-client.ts';

const of = (client: Partial<Client>) => bannedWith(client as Client);

it('decision 50: a ban of a host is a ban of each of its ports', () => {
  const redirectUris = ['https://banned.test:8443/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'];
  const registered = of({ origin: 'registered', clientId: 'id', redirectUris });
  expect(registered).toEqual(['id', 'banned.test:8443', 'banned.test']);
  const clientId = 'https://banned.test:8443/client';
  expect(of({ origin: 'document', clientId })).toEqual([clientId, 'banned.test:8443', 'banned.test']);
});
