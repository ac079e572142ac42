// The page of a file of members on its way in: while the service works on it, the page tells how far it is.
import type { FastifyReply } from 'fastify';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { badgesOf, detailPage } from './detail.ts';

/** Seconds between two looks: of the script, and of a browser that loads the page anew. */
const paces = { script: 2, reload: 5 };

const counted = ['added', 'changed', 'skipped', 'refused'] as const;

export function showImport(visit: OperationVisit): Promise<FastifyReply> {
  return detailPage(
    visit,
    async (answer) => {
      const { phase, name, percent, isUpload, check } = answer;
      const isAtWork = phase === 'checking' || (phase === 'running' && isUpload === true);
      const isTrial = phase === 'checking' || phase === 'checked';
      return {
        template: 'import',
        title: String(name),
        asksOwn: isAtWork,
        data: {
          ...{ badges: badgesOf(answer), note: noteOf(answer), isAtWork, phase, percent },
          counts: phase === 'receiving' ? null : countsIn(isTrial ? check : answer),
          pace: paces.script,
          reloads: isAtWork ? paces.reload : null,
        },
      };
    },
    ['percent', ...counted],
  );
}

function noteOf({ phase, format, hasHashParameters }: Facts): string {
  const isWanting = format === 'firebase' && hasHashParameters !== true;
  if (isWanting && (phase === 'receiving' || phase === 'checked')) return say('import.firebase');
  return sayIfKnown(`import.${String(phase)}`) ?? say('import.told');
}

/** What came of its lines so far; of none where none was looked at. */
function countsIn(facts: unknown): Readonly<Record<string, number>> {
  const known = (facts ?? {}) as Readonly<Record<string, number>>;
  return Object.fromEntries(counted.map((name) => [name, known[name] ?? 0]));
}
