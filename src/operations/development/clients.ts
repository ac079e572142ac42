// The development tenants and their clients.
import type { Branding } from '../../core/members/branding.ts';
import type { ClientRegistration } from '../client/client.ts';

/** A logo, drawn by hand: what a tenant or an app would upload. */
const logo = (drawing: string): string => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">${drawing}</svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
};

/** A globe whose meridians lean like a G. */
export const globexLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#e4f4ec"/>' +
    '<g fill="none" stroke="#0b7a4b" stroke-width="2.6" stroke-linecap="round">' +
    '<path d="M30.5 14A12 12 0 1 0 32 20H20"/>' +
    '<path d="M20 8c-6 4-6 20 0 24M20 8c3.4 2.3 4.9 6 5.1 10" stroke-opacity=".55"/></g>',
);

/** A screen on its stand. */
export const tvLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#22263f"/>' +
    '<rect x="8" y="11" width="24" height="15" rx="3" fill="none" stroke="#ffffff" stroke-width="2.4"/>' +
    '<path d="M15 30.5h10" stroke="#ff8a5c" stroke-width="2.4" stroke-linecap="round"/>',
);

/** A page in a browser's window. */
export const webLogo = logo(
  '<rect width="40" height="40" rx="10" fill="#ece9fb"/>' +
    '<rect x="8" y="10" width="24" height="20" rx="3.5" fill="none" stroke="#4b3fb0" stroke-width="2.4"/>' +
    '<path d="M8 16.5h24" stroke="#4b3fb0" stroke-width="2.4"/>' +
    '<circle cx="12.2" cy="13.3" r="1.2" fill="#4b3fb0"/>',
);

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
  readonly branding: Partial<Branding> & Pick<Branding, 'brandColor'>;
  readonly clientIds: readonly string[];
}

const everyClient = developmentClients.map(({ clientId }) => clientId);

export const developmentTenants: readonly DevelopmentTenant[] = [
  {
    name: 'Acme',
    host: 'localhost',
    branding: {
      brandColor: '#1f5fbf',
      coverText: 'Every match, every story, on every screen you own.',
      supportAddress: 'help@acme.example',
      termsUrl: 'https://acme.example/terms',
      privacyUrl: 'https://acme.example/privacy',
    },
    clientIds: everyClient,
  },
  {
    name: 'Globex',
    host: '127.0.0.1',
    branding: {
      brandColor: '#0b7a4b',
      logo: globexLogo,
      coverText: 'Films from every corner of the world.',
      corners: 'round',
      font: 'rounded',
      supportAddress: 'https://globex.example/help',
      termsUrl: 'https://globex.example/terms',
      privacyUrl: 'https://globex.example/privacy',
    },
    clientIds: everyClient,
  },
  {
    name: 'Initech',
    host: 'initech.localhost',
    branding: { brandColor: '#8a3ffc' },
    clientIds: ['web', 'spa'],
  },
];
