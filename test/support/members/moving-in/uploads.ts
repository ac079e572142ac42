import { type ClientRequest, request } from 'node:http';
import { expect } from 'vitest';
import { type Answer, exchange } from '../../http.ts';
import { run } from '../../operators/desk.ts';
import { filledIn, mainOf, type PortalVisitor } from '../../operators/portal.ts';
import type { TestService } from '../../service.ts';

/** A line of a JSON Lines file. */
export const line = (email: string, more: object = {}) => `${JSON.stringify({ email, ...more })}\n`;

/** A form as a browser sends it: its fields, and a file behind them. */
export function withFile(form: Iterable<readonly [string, string]>, name: string, content: Buffer) {
  const mark = 'xxBoundaryxx';
  const fields = [...form].map(
    ([field, value]) => `--${mark}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${mark}\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll('"', '%22')}"\r\nContent-Type: text/csv\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(fields.join('') + head),
    content,
    Buffer.from(`\r\n--${mark}--\r\n`),
  ]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${mark}` } };
}

/** Where an administrator of a tenant uploads files of members, and what became of them. */
export function importDesk(service: TestService, tenant: string, adminOf: () => PortalVisitor) {
  const idOf = (path: string) => path.split('/').at(-3) ?? '';
  const pageOf = (path: string) => `/admin/tenants/${tenant}/imports/${idOf(path)}`;
  return {
    idOf,
    pageOf,
    /** Makes an import. @returns the address of the page that uploads its file */
    async begin(values = {}): Promise<string> {
      const made = await adminOf().submit(`/admin/tenants/${tenant}/imports/+create`, values);
      expect(made.status, mainOf(made)).toBe(303);
      return String(made.headers.location).split('?')[0] ?? '';
    },
    async upload(path: string, name: string, content: Buffer, by = adminOf()): Promise<Answer> {
      const page = await adminOf().send(path);
      expect(page.status).toBe(200);
      const form = [...filledIn(page)].filter(([field]) => field === 'token');
      return by.send(path, withFile(form, name, content));
    },
    told: (path: string) =>
      run<Record<string, unknown>>(service, 'imports.read', { tenant, importId: idOf(path) }),
    cancel: (path: string) => run(service, 'imports.cancel', { tenant, importId: idOf(path) }),
    /** The parts of its file that are kept. */
    partsOf: (importId: string) =>
      service.store.transaction((tx) =>
        tx.selectFrom('importParts').selectAll().where('importId', '=', importId).orderBy('start').execute(),
      ),
    memberCount: () =>
      service.store.transaction(async (tx) => {
        const rows = tx.selectFrom('members').select(({ fn }) => fn.countAll<number>().as('rows'));
        return Number((await rows.executeTakeFirstOrThrow()).rows);
      }),
  };
}

/** Sends a body in two, and does something when its first half was sent. */
export async function sentInTwo(
  { service, host, cookies }: { service: TestService; host: string; cookies: ReadonlyMap<string, string> },
  path: string,
  { headers, halves }: { headers: Readonly<Record<string, string>>; halves: readonly [Buffer, Buffer] },
  between: () => Promise<void>,
): Promise<Answer> {
  const [first, second] = halves;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const length = { 'content-length': String(first.length + second.length) };
  const ask = { method: 'POST', headers: { ...headers, ...length, cookie } };
  const sent = Promise.withResolvers<ClientRequest>();
  const answer = exchange(host, path, ask, (options, answered) => {
    const asked = request({ ...options, port: service.port }, answered);
    asked.write(first, () => sent.resolve(asked));
    // It ends when the second half was sent.
    return Object.assign(Object.create(asked), { end: () => asked });
  });
  const asked = await sent.promise;
  await between();
  asked.end(second);
  return answer;
}
