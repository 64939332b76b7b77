/** What happened to somebody's account, of which a notice tells. */
export const noticeEvents = [
  'new_device',
  'password_changed',
  'factor_created',
  'factor_removed',
  'factor_suspended',
  'recovery_codes_created',
  'recovery_code_used',
  'second_factor_failed',
  'address_requested',
  'address_changed',
  'deletion_requested',
  'deletion_undone',
  'link_created',
  'link_removed',
  'break_glass_used',
  'break_glass_changed',
  'domain_gained',
  'domain_lost',
  'sync_stopped',
  'setup_opened',
  'setup_handed_in',
] as const
export type NoticeEvent = (typeof noticeEvents)[number]

/** One thing that happened, as a notice tells it. */
export interface NoticeFact {
  event: NoticeEvent
  /** Epoch milliseconds, and the time zone that it is shown in. */
  at: number
  zone: string
  /** The name of a second factor, an upstream, a domain or a person, or an address, masked. */
  name?: string | undefined
  /** Whether somebody else did it: an administrator. */
  byAdministrator?: boolean | undefined
  browser?: string | undefined
  /** The IP address. */
  address?: string | undefined
  application?: string | undefined
}

/** What each kind of mail is made of, besides its recipient and its link. */
export interface MailData {
  /** The mail of `tessera mail test`. */
  test: { at: number }
  /** A person forgot the password. */
  password_reset: { minutes: number }
  /** An administrator lets a person set a password. */
  recovery: { minutes: number }
  invitation: { inviter: string; to: string; days: number }
  /** The code at a sign-in by the password alone, before a first second factor. */
  enrolment_code: { code: string; minutes: number }
  /** The code at a first sign-in through an upstream that does not speak for the address. `name`: the upstream's. */
  guest_code: { code: string; minutes: number; name: string }
  /** The mail to the new address. */
  address_confirmation: { hours: number }
  /** The mail to the owner of an address that somebody else wanted. */
  address_taken: Record<string, never>
  /** One event. There is no link without `days`. */
  notice: NoticeFact & { days?: number }
  /** Notices beyond the limit of a recipient, in one mail. */
  notices: { told: readonly NoticeFact[]; days: number }
}
export type MailKind = keyof MailData

/** The text of a mail: paragraphs around the link. */
export interface MailText {
  subject: string
  heading: string
  before: readonly string[]
  /** What happened, line by line: when, browser, application. */
  facts?: readonly (readonly [term: string, value: string])[]
  /** The words on the button of the link. */
  button?: string
  after?: readonly string[]
  /** Shown large, to be typed. */
  code?: string
}

/** What a mail begins with, above its link or its facts. */
interface MailOpening {
  /** The subject and the heading. */
  subject: string
  before: string
}

interface Linking extends MailOpening {
  button: string
}

/** The words of one language. How each kind of mail is made of them stands in `text.ts`. */
export interface MailWords {
  language: string
  /** A span of time after "for" and "within". Left out: as Intl writes it. */
  spans?: Record<SpanUnit, (count: number) => string>
  greeting: (name: string) => string
  /** The words under the button, before the address of the link. */
  address: string
  /** The sender of the mail. */
  footer: (issuer: string) => string
  /** How often and how long a link works. */
  once: (until: string) => string
  /** The words for somebody who did not ask for the mail. */
  ignore: string
  facts: Record<'when' | 'browser' | 'address' | 'application', string>
  /** The button that undoes what a notice tells, and what it does to one event or to several. */
  notMe: string
  undo: (until: string) => string
  undoEach: (until: string) => string
  test: { subject: (service: string) => string; heading: string; before: string }
  password_reset: Linking
  recovery: Linking
  invitation: {
    subject: (to: string) => string
    before: (inviter: string) => string
    button: string
    unexpected: string
  }
  enrolment_code: MailOpening & { counts: (until: string) => string; alarm: string }
  guest_code: { before: (name: string) => string; alarm: string }
  address_confirmation: Linking
  address_taken: { subject: string; before: readonly string[] }
  notices: MailOpening
  headings: Record<NoticeEvent, string>
  events: Record<NoticeEvent, (told: NoticeFact) => string>
}
export type SpanUnit = 'minute' | 'hour' | 'day'
