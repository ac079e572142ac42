import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The oldest versions without a known hole of consequence (security, W14; jose: its last major version). */
const oldest = {
  fastify: '5.12.1',
  kysely: '0.28.17',
  eta: '2.0.0',
  '@fastify/proxy-addr': '5.1.1',
  jose: '6.0.0',
} as const;

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
};

it.each(Object.entries(oldest))('W14: %s is locked at %s or newer, wherever it is used', (name, least) => {
  const locked = Object.entries(lock.packages)
    .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
    .map(([, { version }]) => String(version));
  expect(locked.length).toBeGreaterThan(0);
  for (const version of locked) {
    expect(version.localeCompare(least, 'en', { numeric: true }), version).toBeGreaterThanOrEqual(0);
  }
});
