import { isCut, Refused, type Served } from '../site.ts';

type Fields = Readonly<Record<string, string>>;

/** Speaks to the admin API of a tenant. @throws where it cannot do it now, or answers anything but 200 and 201 */
export async function callAdmin<Answer>(
  { http, host }: Served,
  token: string,
  [method, path]: readonly [string, string],
  body?: object,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await http(host, `/api/v1/admin/tenants/${host}${path}`, { method, headers, ...sent });
  if (answer.status === 503) throw new Refused(`${path} was answered by 503`);
  if (answer.status > 201) throw new Error(`${path} was answered by ${answer.status}: ${answer.text}`);
  return answer.json() as Answer;
}

/** Changes a member over and over, each time other fields, and knows which changes were committed. */
export interface Changer {
  readonly memberId: string;
  /** The fields of each committed change, the first first. */
  readonly committed: readonly (readonly string[])[];
  /** Makes changes until the service is cut off, or told to stop. */
  work(site: Served, over: AbortSignal): Promise<void>;
  /** Finds out what became of a change that was not answered. */
  settle(site: Served): Promise<void>;
}

export function changer(memberId: string, token: string): Changer {
  const committed: (readonly string[])[] = [];
  let count = 0;
  let sent: Fields | null = null;
  const own = ['PATCH', `/members/${memberId}`] as const;
  const acknowledge = (fields: Fields) => {
    committed.push(Object.keys(fields).toSorted());
    sent = null;
  };
  return {
    memberId,
    committed,
    async work(site, over) {
      while (!over.aborted) {
        count += 1;
        const name = `Change ${count}`;
        const fields: Fields =
          count % 3 === 0
            ? { fullName: name, nickName: name }
            : { [count % 3 === 1 ? 'nickName' : 'fullName']: name };
        sent = fields;
        try {
          await callAdmin(site, token, own, fields);
          acknowledge(fields);
        } catch (error) {
          if (!isCut(error)) throw error;
          return;
        }
      }
    },
    async settle(site) {
      if (sent === null) return;
      const member = await callAdmin<Fields>(site, token, ['GET', own[1]]);
      const isDone = Object.entries(sent).every(([name, value]) => member[name] === value);
      if (isDone) acknowledge(sent);
      sent = null;
    },
  };
}
