// The form of a tenant's look, beside the preview of what it makes.
import { say } from '../../../../text/portal.ts';
import type { OwnForm } from '../form/own.ts';
import { surfaces } from './samples.ts';

/** What stands behind the address of the form for what its preview shows. */
export const previewPath = '/preview';

/** The group of a tenant's settings that it is for. */
export const lookName = 'tenants.change/look';

export const lookForm: OwnForm = {
  template: 'look/edit',
  framesOwn: true,
  about: ({ request }) => ({
    preview: `${request.url.split('?')[0]}${previewPath}`,
    surfaces: surfaces.map((name) => ({ name, label: say(`preview.${name}`) })),
  }),
};
