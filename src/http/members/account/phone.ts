export { readPhone, showPhone } from '../../../phone.ts';
