// The operation that makes the secret of the system that a tenant asks for members.
import { webhookSecret } from '../../../secrets/webhook.ts';
import { saveOldSystemSecret } from '../../../storage/imports/old-system.ts';
import * as s from '../../json-schema.ts';
import { conflict } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { isSince } from '../portal-face.ts';
import { demandMembers } from './tenant-changes.ts';

const secretMade = onTenant({
  name: 'tenants.makeOldSystemSecret',
  summary:
    'Make the secret that signs what the old system is asked, shown once; another one is worth nothing then',
  portal: {
    page: 'tenants.read',
    part: 'movingIn',
    reads: 'tenants.read',
    label: 'New secret of the old system',
    fits: isSince('oldSystemUrl'),
  },
  permission: 'tenants:write',
  route: 'POST /old-system/secret',
  output: s.exactly('The secret', {
    secret: s.asSecret(
      s.text('What signs the questions: shown once', 'whsec_cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs'),
    ),
  }),
  run: async (context) => {
    const { tx, tenant, vault, random } = context;
    if (tenant.oldSystemUrl === null) throw conflict([], 'no_old_system');
    // Its owner asks the old system in our name: whether passwords are right, and who their members are.
    demandMembers(context, tenant.oldSystemUrl, null);
    const secret = webhookSecret(random.secret());
    await saveOldSystemSecret(tx, tenant.id, vault.encrypt(Buffer.from(secret), tenant.id));
    return { secret };
  },
});

export const oldSystemOperations: readonly Operation[] = [secretMade];
