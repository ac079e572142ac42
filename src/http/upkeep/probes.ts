// Answers what other programs ask of the service: whether it works, which domains are ours, how a call arrived.
import { BlockList, isIPv6 } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterSeconds } from '../../core/limits.ts';
import { doctorNonceLifetime, readinessLife, readinessTime } from '../../core/operators/limits.ts';
import {
  doctorHeader,
  doctorPath,
  proofOf,
  type Seen,
  useNonce,
  useSharedNonce,
} from '../../doctor/nonce.ts';
import { touchService } from '../../storage/service.ts';
import type { Store } from '../../storage/store.ts';
import { comesFromThisMachine } from '../address.ts';
import { noStore, sendJson } from '../answers.ts';
import { ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageQuery } from '../form.ts';
import { sendUnknownHost } from '../tenant.ts';

/** Why the service is not ready: it stops, or its database cannot be written now. */
type Unready = 'draining' | 'storage';

/**
 * `/livez`: the process answers. `/readyz`: it can do its work. Both on every host, since they name nothing.
 * The port opens after the migrations, so a service that answers at all has the newest schema (H21).
 */
export function healthEndpoints(app: FastifyInstance, { store }: Pick<Deps, 'store'>): void {
  const config = { upkeep: true };
  const method = ['GET', 'HEAD'];
  const storageProblem = createStorageCheck(store);
  let isDraining = false;
  app.addHook('preClose', async () => {
    isDraining = true;
  });
  app.route({ method, url: '/livez', config, handler: async (_request, reply) => sendWord(reply, 'live') });
  app.route({
    method,
    url: '/readyz',
    config,
    handler: async (_request, reply) => {
      const problem = isDraining ? 'draining' : await storageProblem();
      if (problem === null) return sendWord(reply, 'ready');
      return sendWord(reply.status(503).header('retry-after', retryAfterSeconds), problem);
    },
  });
}

function sendWord(reply: FastifyReply, word: Unready | 'live' | 'ready'): FastifyReply {
  return noStore(reply).type('text/plain; charset=utf-8').send(`${word}\n`);
}

/** Whether the database takes a write. Any client may ask, so it is tried at most once a second. */
function createStorageCheck(store: Store): () => Promise<Unready | null> {
  let triedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<Unready | null> = Promise.resolve(null);
  return () => {
    const now = performance.now();
    if (now - triedAt >= readinessLife) {
      triedAt = now;
      last = tryStorage(store);
    }
    return last;
  };
}

function tryStorage(store: Store): Promise<Unready | null> {
  const tried = store.transaction(touchService).then(
    () => null,
    () => 'storage' as const,
  );
  return Promise.race([tried, wait(readinessTime, 'storage' as const, { ref: false })]);
}

/**
 * `/internal/domains?domain=…`: whether a domain is one of ours, 200 or 404. A proxy that gets certificates
 * on demand asks this before it does (Caddy's `ask`). It answers only programs on this machine that call it by
 * its address; all others get 404.
 */
export function domainsEndpoint(app: FastifyInstance, { tenants, config, setupOffered }: Deps): void {
  // Where the set-up link leads before there is a tenant.
  const first = setupOffered && config.issuer !== null ? new URL(config.issuer).host : null;
  const isOurs = (domain: string) =>
    domain === config.apiHost || domain === first || tenants.byHost(domain) !== null;
  app.get('/internal/domains', { config: { upkeep: true } }, async (request, reply) => {
    if (!isNeighbour(request)) return sendNothingHere(request, reply);
    const { domain = '' } = pageQuery(request, ['domain']);
    if (!isOurs(domain.toLowerCase())) return sendUnknownHost(reply);
    return noStore(reply).type('text/plain; charset=utf-8').send('ours\n');
  });
}

/** The answer at an address that is not there, on a known host and on others. */
function sendNothingHere(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  if (request.tenant === undefined) return sendUnknownHost(reply);
  reply.callNotFound();
  return reply;
}

/** A process of this machine that asks us directly: over loopback, by no tenant's host, through no proxy. */
const isNeighbour = (request: FastifyRequest): boolean =>
  request.tenant === undefined && comesFromThisMachine(request);

/**
 * Tells `memberdoor doctor` how its call arrived here, on whatever host it did, and sets a cookie as the pages
 * do. Only who can write into the data folder, or read the database that processes share, has a nonce, each of one use;
 * to others there is nothing here.
 */
export function doctorEndpoint(app: FastifyInstance, deps: Deps): void {
  const { config, clock, random, rateLimiter, store, vault } = deps;
  const trusted = listOf(config.trustedProxies);
  const isFirst = async (name: string) =>
    (await rateLimiter.shared.take(`doctor ${name}`, 1, doctorNonceLifetime)) === null;
  const keyFor = (nonce: string) =>
    store.isShared
      ? useSharedNonce(vault.keyCheck, nonce, clock(), isFirst)
      : config.dataFolder === null
        ? null
        : useNonce(config.dataFolder, nonce, clock());
  app.get(doctorPath, { config: { upkeep: true } }, async (request, reply) => {
    const nonce = request.headers[doctorHeader];
    const key = typeof nonce === 'string' ? await keyFor(nonce) : null;
    if (key === null) return sendNothingHere(request, reply);
    if (request.tenant !== undefined) ensureBrowserCookie(reply, random);
    const what = seen(request, trusted, clock());
    return sendJson(reply, { seen: what, proof: proofOf(key, what) });
  });
}

function seen({ raw, headers, address }: FastifyRequest, trusted: BlockList, now: number): Seen {
  const peer = raw.socket.remoteAddress ?? '';
  const header = (name: string) => headers[name]?.toString() ?? null;
  return {
    host: header('host'),
    peer: unmapped(peer),
    isPeerTrusted: trusted.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4'),
    isAnybodyTrusted: trusted.check('192.0.2.1') || trusted.check('2001:db8::1', 'ipv6'),
    client: unmapped(address),
    forwardedFor: header('x-forwarded-for'),
    forwardedProto: header('x-forwarded-proto'),
    now,
  };
}

/** An IPv4 address as people write it. */
const unmapped = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
