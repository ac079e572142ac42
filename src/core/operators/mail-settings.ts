// Reads where mails go: the server that takes them, and the address that they come from.

/** Where mails go. */
export interface MailSettings {
  /** `smtp://` or `smtps://`; null only in development, where mails are written to a folder. */
  readonly smtpUrl: string | null;
  /** The address that mails come from. */
  readonly from: string;
}

/**
 * The settings of mail. A problem repeats neither of them: the address of the server holds its password.
 *
 * @param prefix what the names of settings begin with
 */
export function readMailSettings(
  smtpUrl: string | undefined,
  from: string | undefined,
  mode: 'development' | 'production',
  prefix: string,
  problems: string[],
): MailSettings {
  if (smtpUrl === undefined && mode === 'production') {
    problems.push(`${prefix}SMTP_URL must be given in production.`);
  }
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl)) {
    problems.push(`${prefix}SMTP_URL must be smtp:// or smtps:// with a host, without a path.`);
  }
  if (from === undefined && (mode === 'production' || smtpUrl !== undefined)) {
    problems.push(`${prefix}MAIL_FROM must be given with a mail server.`);
  }
  if (from !== undefined && !/^[^\s@<>",;:()]+@[^\s@<>",;:()]+$/.test(from)) {
    problems.push(`${prefix}MAIL_FROM must be one plain address.`);
  }
  return { smtpUrl: smtpUrl ?? null, from: from ?? 'memberdoor@localhost' };
}

function isSmtpUrl(text: string): boolean {
  try {
    const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
    decodeURIComponent(`${username}${password}`);
    return (
      ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && `${pathname}${search}${hash}`.length <= 1
    );
  } catch {
    return false;
  }
}
