// Moves the endpoints of a tenant, as far as discovery tells: their addresses bear a mark, and lead where they did.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sha256 } from '../../../core/hash.ts';
import { movedEndpoints, movedName } from '../../../core/rehearsal/card/discovery.ts';
import { flag, someOf } from '../../../operations/json-schema.ts';
import type { Deps } from '../../deps.ts';
import { type Deed, deed } from '../deeds.ts';
import { endpointOf } from '../wire/watch.ts';
import type { Cards } from './cards.ts';

/** Has discovery tell the moved addresses. To be called before the answer is written into the log. */
export function tellMoved(app: FastifyInstance, cards: Pick<Cards, 'markOf'>): void {
  const markFor = (request: FastifyRequest): string | null =>
    request.tenant?.development === true && endpointOf(request) === 'discovery'
      ? cards.markOf(request.tenant.id)
      : null;
  app.addHook('onRequest', (request, _reply, done) => {
    // What a client has is the document without the mark.
    if (markFor(request) !== null) delete request.headers['if-none-match'];
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const mark = markFor(request);
    if (mark === null || typeof payload !== 'string' || reply.statusCode !== 200) return done();
    reply.removeHeader('etag').removeHeader('content-length').header('cache-control', 'no-store');
    return done(null, JSON.stringify(withMark(JSON.parse(payload), mark)));
  });
}

const movedNames: ReadonlySet<string> = new Set(Object.values(movedEndpoints));

const withMark = (document: object, mark: string) =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      movedNames.has(name) ? `${value}?${movedName}=${mark}` : value,
    ]),
  );

/** GET and POST /rehearsal/endpoints. */
export function endpointDeeds(
  cards: Pick<Cards, 'markOf' | 'move'>,
  { random }: Pick<Deps, 'random'>,
): readonly Deed[] {
  const told = (tenantId: string) => {
    const mark = cards.markOf(tenantId);
    return { moved: mark !== null, mark };
  };
  return [
    deed({
      method: 'GET',
      path: '/endpoints',
      fields: someOf('Nothing', {}),
      run: (_input, { tenant }) => told(tenant.id),
    }),
    deed({
      method: 'POST',
      path: '/endpoints',
      fields: {
        ...someOf('Where discovery says that the endpoints are', {
          moved: flag('Whether their addresses bear a mark of this move'),
        }),
        required: ['moved'],
      },
      run({ moved }, { tenant }) {
        cards.move(tenant.id, moved === true ? sha256(random.secret()).slice(0, markLength) : null);
        return told(tenant.id);
      },
    }),
  ];
}

/** A mark is known again, and is not guessed by chance. */
const markLength = 8;
