import {
  choice,
  code,
  flag,
  instant,
  listOf,
  presence,
  seconds,
  text,
  uuid,
  anyText,
  webAddress,
  domainName,
} from './kinds.ts'
import { assurance, attributes, mapping } from './upstream-json.ts'
import { defined, managedBy, time } from './thing.ts'

/** A provider by which an organisation's people sign in. What it is known by, and whom it names, never changes. */
export const upstream = defined({
  uuid: { kind: uuid, set: 'never' },
  organisation_uuid: {
    kind: uuid,
    set: 'at creation',
    nullable: true,
    description:
      'The organisation that it opens, and those whose `accepts` names that. Without it, of the whole installation, and it opens everything.',
  },
  code: {
    kind: code,
    set: 'at creation',
    description: 'What it is known by in a declared file, within its organisation; never changes.',
  },
  name: { kind: text(200), description: 'As people know it: it stands on the pages of a sign-in.' },
  kind: { kind: choice('oidc', 'saml', 'ldap'), set: 'at creation' },
  active: { kind: flag, initial: true, description: 'A disabled one signs nobody in, and proves nothing.' },
  issuer: {
    kind: anyText(500),
    set: 'at creation',
    nullable: true,
    description:
      'The issuer of OpenID Connect, exactly, or the entityID of SAML. Another issuer is another upstream.',
  },
  client_id: { kind: text(500), nullable: true, description: 'What this service is registered as there.' },
  client_secret: {
    kind: presence,
    set: 'never',
    column: 'secret',
    description:
      'Whether a secret is kept: of the client, or of `bind_dn`. An OpenID Connect client without one proves itself by private_key_jwt.',
  },
  secret_expires_at: {
    kind: instant,
    nullable: true,
    description: 'When the secret ends there: administrators are told 30 days before.',
  },
  metadata_url: {
    kind: webAddress,
    nullable: true,
    description: 'Of SAML: looked at daily. New certificates join; another entityID changes nothing.',
  },
  metadata: { kind: anyText(100_000), nullable: true, description: 'Of SAML: the metadata itself, as XML.' },
  url: {
    kind: anyText(500),
    set: 'at creation',
    nullable: true,
    description:
      'Of LDAP: `ldaps://…`, or `ldap://…`, which is followed by StartTLS. Plain on this machine alone.',
  },
  bind_dn: { kind: text(500), nullable: true, description: 'Of LDAP: the account that searches.' },
  base: { kind: text(500), set: 'at creation', nullable: true, description: 'Of LDAP: where people are.' },
  subject: {
    kind: text(200),
    set: 'at creation',
    nullable: true,
    description:
      'The claim or attribute that says who somebody is, for good. Left out: `sub` (`tid` and `oid` of Entra), the persistent NameID, `entryUUID` or `objectGUID`. Never an address or a name.',
  },
  attributes: {
    kind: attributes,
    nullable: true,
    description:
      'The claims or attributes that tell the fields of a person, and `groups`; left out: the usual names.',
  },
  mapping: {
    kind: mapping,
    initial: [],
    description:
      'What groups give: `group`, or `claim` and `equals`, with a `role` and perhaps a `unit` of the organisation.',
  },
  provision: {
    kind: choice('known', 'create'),
    initial: 'known',
    description:
      '`create`: a first sign-in makes the account. `known`: it was invited or provisioned before.',
  },
  guests: {
    kind: flag,
    initial: false,
    description: 'Whether people come in whose address is outside the domains, after a code that is mailed.',
  },
  assurance: {
    kind: assurance,
    nullable: true,
    description:
      'Values of `acr`, `amr` or AuthnContext that count as `2` or `phr`, for the organisation’s own policy.',
  },
  assurance_trusted: {
    kind: flag,
    initial: false,
    description:
      'Whether `assurance` also counts for the installation, roles and clients. For administrators of the whole installation; false again with each change of `assurance`.',
  },
  recheck_days: {
    kind: seconds(30),
    nullable: true,
    description:
      'How many days profiles that it gives count after a sign-in through it: 1 to 30; without it, 7.',
  },
  logout: {
    kind: choice('own', 'both'),
    initial: 'own',
    description: '`both`: who signs out here is signed out there.',
  },
  domains: {
    kind: listOf(domainName, { most: 100, sorted: true }),
    initial: [],
    description: 'Of an upstream of the whole installation: the domains whose addresses it speaks for.',
  },
  managed_by: managedBy,
  created_at: time,
  updated_at: time,
})
