import { day, email, flag, instant, locale, presence, text, timeZone, uuid, webAddress } from './kinds.ts'
import { defined, managedBy, time } from './thing.ts'

/**
 * Names as the claims have them. A password and the demand to enrol are set by the API and the command, not as a state
 * that a declared file brings back: how a password is set differs, and whoever enrols fulfils the demand.
 */
export const user = defined({
  uuid: { kind: uuid, set: 'never', description: 'Their `sub`; never changes, never used again.' },
  email: { kind: email },
  email_verified: {
    kind: flag,
    initial: false,
    description:
      'Whether the address is known to be theirs. Only administrators of the whole installation set it to true; it is false for a new user and a new address.',
  },
  name: { kind: text(200) },
  given_name: { kind: text(200), nullable: true },
  family_name: { kind: text(200), nullable: true },
  preferred_username: { kind: text(200), nullable: true },
  picture: { kind: webAddress, nullable: true },
  locale: { kind: locale, nullable: true },
  zoneinfo: { kind: timeZone, nullable: true },
  former_sub: {
    kind: text(255),
    set: 'never',
    nullable: true,
    description: 'Their subject in the system that they were imported from; nobody else has it.',
  },
  has_password: { kind: presence, set: 'never', column: 'password_hash' },
  password_temporary: {
    kind: flag,
    set: 'never',
    description:
      'They have to choose another password at the next sign-in by this one. False again once they have, and with each password that is set without it.',
  },
  enrolment_required: {
    kind: flag,
    set: 'never',
    description:
      'They have to set up a second factor at the next sign-in, without grace. False again once they have.',
  },
  active: {
    kind: flag,
    initial: true,
    description: 'A disabled user can not sign in, and every session and token has ended.',
  },
  deletion_at: {
    kind: instant,
    set: 'never',
    nullable: true,
    description:
      'When they are removed, because they asked for it: until then they are disabled, and may undo it by signing in. Setting `active` undoes it too.',
  },
  last_sign_in_on: {
    kind: day,
    set: 'never',
    nullable: true,
    description:
      'The day of their last sign-in, in UTC, whichever application it was for. Null: they never signed in, or not since the service notes it.',
  },
  unproved_since: {
    kind: instant,
    set: 'never',
    nullable: true,
    description:
      'Since when nobody has proved whose the account is: somebody made it then, or set its password or address, who does not administer everything. It gets no more than they could give until its person uses a mailed link. Null: it is proved, or nobody knows.',
  },
  managed_by: managedBy,
  created_at: time,
  updated_at: time,
})
