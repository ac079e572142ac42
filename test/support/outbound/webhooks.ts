import { tell } from '../../../src/storage/events/event.ts';
import { refusal, run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import { type Answering, type Received, startReceiver } from './receiver.ts';

/** A webhook as operations answer it. */
export interface Hook {
  readonly webhookId: string;
  readonly secret: string;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
}

interface Deliveries {
  readonly webhookDeliveries: readonly {
    readonly id: number;
    readonly state: string;
    readonly attempts: number;
    readonly lastResult: string | null;
    readonly answer: string | null;
  }[];
}

/** Whom the events are about that came. */
export const membersIn = (received: readonly Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { memberId: string } }).data.memberId);

/** What tests of webhooks do at a service of development, on the first of its tenants, which may call this machine. */
export function webhooksOf(service: TestService) {
  const tenant = () => {
    const [first] = service.tenants.all();
    if (first === undefined) throw new Error('no tenant');
    return first;
  };
  const operate = <Answer = Readonly<Record<string, unknown>>>(name: string, input: object = {}) =>
    run<Answer>(service, name, { tenant: tenant().id, ...input });

  /** A webhook at a server of its own, or at a port of this machine. */
  async function webhookAt(answer?: Answering | number, more: object = {}) {
    const receiver =
      typeof answer === 'number'
        ? { port: answer, received: [] }
        : await startReceiver(answer === undefined ? {} : { answer });
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    const made = await operate<Hook>('webhooks.create', { name: 'CRM', url, ...more });
    const { webhookId } = made;
    return {
      ...made,
      ...receiver,
      now: async () => operate<Hook>('webhooks.read', { webhookId }),
      deliveries: async () =>
        (await operate<Deliveries>('webhookDeliveries.list', { webhookId })).webhookDeliveries,
    };
  }

  return {
    tenant,
    operate,
    refused: (name: string, input: object = {}) => refusal(service, name, { tenant: tenant().id, ...input }),
    webhookAt,
    /** A webhook that refuses what has one of some texts in it. */
    webhookUnless: (refusing: ReadonlySet<string>, status = 500) =>
      webhookAt((_request, reply, { body }) => {
        const isRefused = [...refusing].some((text) => body.includes(text));
        reply.writeHead(isRefused ? status : 204).end();
      }),
    /** Something happens to members, each in a transaction of its own. */
    async happens(...memberIds: readonly string[]) {
      for (const memberId of memberIds) {
        const of = { tenantId: tenant().id, memberId };
        await service.deps.store.transaction((tx) =>
          tell(tx, { write: 'changePassword', of, isRemoved: false }),
        );
      }
    },
    /** Time passes, and what is due is sent. */
    async later(ms: number) {
      service.clock.advance(ms);
      await service.webhooksTold();
    },
  };
}
