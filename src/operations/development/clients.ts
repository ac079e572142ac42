// The development tenants and their clients.
import type { ClientRegistration } from '../client/client.ts';
import { globexLogo, tvLogo, webLogo } from './logos.ts';

/** The clients of Acme and Globex; documentation and tests rely on every value. */
export const developmentClients: readonly ClientRegistration[] = [
  {
    clientId: 'web',
    name: 'Web',
    logo: webLogo,
    type: 'confidential',
    secret: 'web-secret-for-development',
    redirectUris: ['http://localhost:9876/callback', 'http://localhost:9877/callback'],
    postLogoutRedirectUris: ['http://localhost:9876/signed-out'],
  },
  {
    clientId: 'web-single',
    name: 'Web Single',
    type: 'confidential',
    secret: 'web-single-secret-for-development',
    redirectUris: ['http://localhost:9878/callback'],
    postLogoutRedirectUris: ['http://localhost:9878/'],
  },
  {
    clientId: 'spa',
    name: 'Single Page',
    type: 'public',
    redirectUris: ['http://localhost:9879/callback'],
    webOrigins: ['http://localhost:9879'],
  },
  {
    clientId: 'native',
    name: 'Native',
    type: 'public',
    redirectUris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
  },
  {
    clientId: 'reader',
    name: 'Reader',
    type: 'public',
    redirectUris: ['http://localhost:9880/callback'],
    signupDisabled: true,
    deviceFlow: true,
  },
  { clientId: 'tv', name: 'TV', logo: tvLogo, type: 'public', deviceFlow: true },
  {
    clientId: 'tv-secret',
    name: 'TV with Secret',
    type: 'confidential',
    secret: 'tv-secret-for-development',
    deviceFlow: true,
  },
  { clientId: 'tv-off', name: 'TV Off', type: 'public' },
];

/** A tenant of the development start. */
export interface DevelopmentTenant {
  readonly name: string;
  readonly host: string;
  readonly brandColor: string;
  readonly logo?: string;
  readonly clientIds: readonly string[];
}

const everyClient = developmentClients.map(({ clientId }) => clientId);

export const developmentTenants: readonly DevelopmentTenant[] = [
  { name: 'Acme', host: 'localhost', brandColor: '#1f5fbf', clientIds: everyClient },
  { name: 'Globex', host: '127.0.0.1', brandColor: '#0b7a4b', logo: globexLogo, clientIds: everyClient },
  { name: 'Initech', host: 'initech.localhost', brandColor: '#8a3ffc', clientIds: ['web', 'spa'] },
];
