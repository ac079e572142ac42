// Reads and shows telephone numbers on account pages.

export { readPhone, showPhone } from '../../../text/phone.ts';
