// A receiver that stands for the system that a tenant's members come from.
import { run } from '../../operators/desk.ts';
import {
  type Answering,
  certificateFor,
  type ReceiverOptions,
  startReceiver,
} from '../../outbound/receiver.ts';
import type { TestService } from '../../service.ts';

/** What it answers: a status, and the body where there is one. */
export const says =
  (status: number, body: object | string = ''): Answering =>
  (_request, reply) =>
    reply.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

/** Starts one under a name of its own, names it to a tenant, and makes its secret. */
export async function oldSystemOf(
  service: TestService,
  tenant: string,
  {
    answer,
    name = 'old.test',
    certificate = certificateFor(name),
  }: ReceiverOptions & { readonly name?: string },
) {
  const receiver = await startReceiver({ ...(answer === undefined ? {} : { answer }), certificate });
  const oldSystemUrl = `https://${name}:${receiver.port}/members`;
  await run(service, 'tenants.change', { tenant, oldSystemUrl });
  const { secret } = await run<{ readonly secret: string }>(service, 'tenants.makeOldSystemSecret', {
    tenant,
  });
  return { ...receiver, url: oldSystemUrl, secret };
}
