import { domainName, flag, instant, text, uuid } from './kinds.ts'
import { defined, time } from './thing.ts'

/** A domain that an organisation claims. It counts once the installation gave it, or its record proves it. */
export const domain = defined({
  uuid: { kind: uuid, set: 'never' },
  organisation_uuid: { kind: uuid, set: 'at creation' },
  name: {
    kind: domainName,
    set: 'at creation',
    description: 'Such as `acme.example`; subdomains are others.',
  },
  given: {
    kind: flag,
    initial: false,
    description:
      'Whether the installation gave it, without a record. For administrators of the whole installation.',
  },
  holds: {
    kind: flag,
    set: 'never',
    description: 'Whether the organisation has the domain now: one organisation at a time.',
  },
  token: {
    kind: text(200),
    set: 'never',
    description: 'The TXT record of `_tessera.` before the name that proves it, by itself.',
  },
  proved_at: { kind: instant, set: 'never', nullable: true },
  checked_at: { kind: instant, set: 'never', nullable: true },
  missing_since: {
    kind: instant,
    set: 'never',
    nullable: true,
    description: 'Since when the record is gone: after seven days the domain lapses.',
  },
  created_at: time,
  updated_at: time,
})
