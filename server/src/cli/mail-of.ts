import { type Mail, openMail } from '../mail/mail.ts'
import { readMail, readSettings } from '../settings.ts'
import type { Context } from './context.ts'

/** The outbox that a command puts mails into; a running service sends them. Undefined: no mail server is set. */
export const mailOf = (environment: Context['environment']): Mail | undefined =>
  readMail(environment).server === undefined ? undefined : openMail(readSettings(environment))
