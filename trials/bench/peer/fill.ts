import type SQLite from 'better-sqlite3';
import type Provider from 'oidc-provider';
import type { Item, OperationName } from '../generator/plan.ts';
import { openPeer, peerHost, peerScope, resource } from './provider.ts';

const day = 86_400;
const seconds = () => Math.floor(Date.now() / 1_000);

/** What a load on the peer is about. */
export interface PeerFill {
  readonly operation: OperationName;
  readonly clientId: string;
  readonly amount: number;
}

/** Fills the peer's folder by its own models, and says what there is to ask about. */
export async function fillPeer(folder: string, fill: PeerFill): Promise<readonly Item[]> {
  const { provider, database } = openPeer(folder);
  try {
    database.exec('begin immediate');
    const items = await itemsOf(provider, database, fill);
    database.exec('commit');
    return items;
  } finally {
    database.close();
  }
}

async function itemsOf(
  provider: Provider,
  database: SQLite.Database,
  { operation, clientId, amount }: PeerFill,
): Promise<readonly Item[]> {
  const client = await provider.Client.find(clientId);
  const item = (value: string, expected = ''): Item => ({ host: peerHost, value, expected });
  const each = async (make: (number: number) => Promise<Item>) => {
    const items: Item[] = [];
    for (let number = 0; number < amount; number += 1) items.push(await make(number));
    return items;
  };
  switch (operation) {
    case 'refresh':
    case 'refresh-with-dpop':
    case 'revocation':
      return each(async (number) => {
        const accountId = addAccount(database, number);
        const grantId = await addGrant(provider, accountId, clientId);
        const facts = { client, accountId, grantId, gty: 'authorization_code', scope: peerScope, resource };
        const token = new provider.RefreshToken({ ...facts, authTime: seconds(), sid: `sid-${number}` });
        return item(await token.save());
      });
    case 'sign-in':
      return each(async (number) => {
        const accountId = addAccount(database, number);
        const session = new provider.Session();
        session.loginAccount({ accountId });
        session.ensureClientContainer(clientId);
        session.grantIdFor(clientId, await addGrant(provider, accountId, clientId));
        await session.save(14 * day);
        return item(`_session=${session.jti}`);
      });
    case 'poll':
      return each(async (number) => {
        const params = { client_id: clientId, scope: peerScope, resource };
        const deviceInfo = { ip: '203.0.113.7', ua: '' };
        const userCode = String(number).padStart(9, '0');
        const code = new provider.DeviceCode({ client, params, userCode, deviceInfo });
        return item(await code.save());
      });
    case 'profile':
      return each(async (number) => {
        const accountId = addAccount(database, number);
        const grantId = await addGrant(provider, accountId, clientId);
        const facts = { client, accountId, grantId, gty: 'authorization_code' };
        const token = new provider.AccessToken({ ...facts, scope: 'openid profile email phone address' });
        return item(await token.save(), `"${accountId}"`);
      });
    default:
      return [item('', operation === 'discovery' ? `"https://${peerHost}"` : '')];
  }
}

async function addGrant(provider: Provider, accountId: string, clientId: string): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid offline_access profile email phone address');
  grant.addResourceScope(resource, 'api');
  return grant.save();
}

/** An account with the claims that a member of ours has. */
function addAccount(database: SQLite.Database, number: number): string {
  const id = `account-${String(number).padStart(8, '0')}`;
  const claims = {
    sub: id,
    name: `Member ${number}`,
    nickname: `M${number}`,
    picture: `https://example.test/${number}.png`,
    updated_at: seconds(),
    email: `member${number}@example.test`,
    email_verified: true,
    phone_number: '+4790000000',
    phone_number_verified: true,
    address: { street_address: `Street ${number}`, locality: 'Oslo', postal_code: '0150', country: 'NO' },
  };
  database
    .prepare('insert or ignore into accounts (id, claims) values (?, ?)')
    .run(id, JSON.stringify(claims));
  return id;
}
