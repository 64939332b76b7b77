import { start } from './en/start.ts'
import { person } from './en/person.ts'
import { edit, ends, recover } from './en/person-changes.ts'
import { profile } from './en/profile.ts'
import { bulk } from './en/bulk.ts'
import { invite } from './en/invite.ts'
import { importing } from './en/import.ts'
import { issuers } from './en/issuers.ts'
import { key } from './en/key.ts'
import { mail } from './en/mail.ts'
import { role } from './en/role.ts'
import { file } from './en/file.ts'
import { moving } from './en/move-in.ts'
import { service } from './en/service.ts'
import { policies } from './en/policy.ts'
import { looks } from './en/branding.ts'
import { installed } from './en/installation.ts'
import { matrix } from './en/matrix.ts'
import { organisation } from './en/organisation.ts'
import { upstream } from './en/upstream.ts'
import { directory, domain, mapping, opened, setup, tryout } from './en/upstream-parts.ts'
import { application } from './en/application.ts'
import { records } from './en/records.ts'
import { verified } from './en/verified.ts'
import { compare } from './en/compare.ts'
import { whatIf } from './en/what-if.ts'
import { who } from './en/who.ts'
import { why } from './en/why.ts'
import { allowed } from './en/application-allowed.ts'
import { documents } from './en/application-document.ts'
import { proxied } from './en/application-proxied.ts'
import { fields } from './en/application-fields.ts'
import { exchange, settings } from './en/application-settings.ts'
import { secrets } from './en/application-secrets.ts'
import { preview } from './en/application-preview.ts'
import { trial } from './en/application-trial.ts'
import { refused } from './en/refused-addresses.ts'
import { palette } from './en/palette.ts'
import { actions, actors, events } from './en/events.ts'
import { webhook } from './en/webhook.ts'
import { wizard } from './en/wizard.ts'
import { work } from './en/work.ts'

const peopleIn = (people: number, organisations: number): string =>
  [
    people === 1 ? '1 person' : `${people} people`,
    organisations > 0 && (organisations === 1 ? 'in 1 organisation' : `in ${organisations} organisations`),
  ]
    .filter(Boolean)
    .join(' ')

/** Words that several views share; each view has a file of its own. */
export const en = {
  console: 'Console',
  use: 'Use',
  understand: 'Understand',
  define: 'Define',
  run: 'Run',
  declared: 'Declared file',
  keys: 'Keys',
  webhooks: 'Webhooks',
  mails: 'Mail',
  policy: 'Policy',
  branding: 'Branding',
  installation: 'Installation',
  roles: 'Roles',
  services: 'Services',
  overview: 'Overview',
  people: 'People',
  applications: 'Applications',
  organisations: 'Organisations',
  upstreams: 'Sign-in providers',
  access: 'Access',
  audit: 'Audit',
  menu: 'Menu',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  all: 'All',
  more: 'Show more',
  asTable: 'As a table',
  loading: 'Loading',
  skip: 'Skip to the content',
  none: 'None',
  yes: 'Yes',
  no: 'No',
  retry: 'Try again',
  failed: 'That did not work',
  offline: 'The service can’t be reached.',
  requestId: 'Request',
  actsFor: (place: string) => `You act for ${place}.`,
  taken: (permissions: string) => `You no longer have ${permissions}.`,
  unanswered: 'The service does not answer now. Trying again …',
  noConnection:
    'There is no connection. What is shown may be old; it is read again once the connection is back.',

  newVersion: {
    title: 'A new version of the console may be there.',
    how: 'What you opened can’t be loaded. The page stays as it is until you load it anew; what you typed is lost then.',
    button: 'Load it anew',
  },
  notFound: 'There is nothing at this address.',
  notFoundBack: 'Go to the start',
  nothingAllowed: 'Nothing here is yours to see',
  nothingAllowedWhy: (role: string) =>
    `Your role “${role}” gives no permission to administer. Somebody who may can give you another, or you use another profile.`,
  ended: 'Your sign-in ended. Nothing is lost.',
  endedHow: 'Sign in again in a new tab; this page then goes on by itself.',
  confirm: {
    title: 'For this, confirm that it is you.',
    how: (minutes: number) =>
      `It needs a sign-in of the last ${minutes} minutes. Sign in in a new tab; this page then goes on by itself.`,
    button: 'Confirm that it is you',
    cancel: 'Not now',
    before: 'You will be asked to confirm that it is you.',
  },
  signInAgain: 'Sign in again',
  signedInAgain: 'You are signed in again',
  signedInAs: (name: string) => `As ${name}.`,
  profileEnded: 'You can’t go on as you are.',
  profileEndedHow:
    'Your profile may have ended, or the service asks you something first. Copy what you typed, then sign in again here.',
  signedInAgainHow: 'The other tab goes on by itself. You can close this one.',
  account: {
    label: 'Your account',
    everywhere: 'Whole installation',
    actAs: 'Act as',
    own: 'Your own account',
    signOut: 'Sign out',
    look: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    system: 'System',
    language: 'Language',
  },
  status: {
    active: 'Active',
    disabled: 'Disabled',
    managed: (file: string) => `Managed by ${file}`,
    usable: 'Can be used',
    unusable: 'Can’t be used now',
    expired: 'Ended',
  },
  change: {
    trying: 'Looking what it would do …',
    outdated:
      'Somebody changed this meanwhile. The page shows how it is now; try again if you still want to.',
    override: (file: string) =>
      `The file ${file} manages this. The change holds until the file is applied again.`,
    typeName: (name: string) => `People lose access. Type “${name}” to go on`,
    gains: 'gains',
    loses: 'loses',
    noAccess: 'This changes nobody’s access.',
    others: (count: number, complete: boolean) =>
      complete ? `and ${count} more` : 'and more than can be shown here',
    ends: (sessions: number, families: number) =>
      [
        sessions > 0 && (sessions === 1 ? '1 session ends' : `${sessions} sessions end`),
        families > 0 &&
          (families === 1 ? '1 application is signed out' : `${families} sign-ins of applications end`),
      ]
        .filter(Boolean)
        .join(', ') + '.',
    actingFor: (client: string, service: string) => `${client} acting for whoever calls ${service}`,
    shutOut: (people: number, organisations: number, client: string) =>
      `${peopleIn(people, organisations)} can no longer sign in to ${client}.`,
    letIn: (people: number, organisations: number, client: string) =>
      `${peopleIn(people, organisations)} can sign in newly to ${client}.`,
    forces: (people: number, never: number) =>
      `${peopleIn(people, 0)} could not act until they sign in through the provider; ${never} of them never did.`,
    manySignIns:
      'People may have to sign in again: there are too many sign-ins of applications to look at each.',
    lastThrough: 'The last of the others did on',
    weakens: 'Weaker than before:',
    disable: 'Disable',
    enable: 'Enable',
    disableTitle: (name: string) => `Disable ${name}?`,
    enableTitle: (name: string) => `Enable ${name}?`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removedWith: 'Removed along:',
    /** One, and several. */
    kinds: {
      user: ['person', 'people'],
      profile: ['profile', 'profiles'],
      client: ['application', 'applications'],
      organisation: ['organisation', 'organisations'],
      unit: ['unit', 'units'],
      role: ['role', 'roles'],
      permission: ['permission', 'permissions'],
      service: ['service', 'services'],
      session: ['session', 'sessions'],
      secret: ['secret', 'secrets'],
      invitation: ['invitation', 'invitations'],
      upstream: ['upstream', 'upstreams'],
      directory: ['directory', 'directories'],
      domain: ['domain', 'domains'],
      webhook: ['webhook', 'webhooks'],
      factor: ['second factor', 'second factors'],
      token_family: ['tokens', 'tokens'],
      access_token: ['access token', 'access tokens'],
      device_code: ['device', 'devices'],
      signing_key: ['signing key', 'signing keys'],
      declared_file: ['file', 'files'],
      upstream_invitation: ['set-up link', 'set-up links'],
      setup_link: ['link', 'links'],
      address: ['address', 'addresses'],
      mail: ['mail', 'mails'],
      audit: ['audit', 'audits'],
    } as Record<string, readonly [string, string]>,
  },
  history: { when: 'When', what: 'What', who: 'By' },
  download: {
    as: (format: string) => `Download ${format}`,
    cut: 'The file broke off, so nothing was saved. A narrower question makes a smaller file.',
  },
  views: {
    saved: 'Saved views',
    save: 'Save this view',
    name: 'Name of the view',
    keep: 'Save',
    remove: (name: string) => `Forget the view ${name}`,
    full: (most: number) => `There are ${most} saved views. Forget one to save another.`,
  },
  until: { never: 'No end date', day: '1 day', week: '1 week', month: '30 days' },
  conflict: {
    title: 'Somebody changed this meanwhile',
    somebody: 'Somebody',
    changed: 'changed it,',
    field: 'Field',
    yours: 'Yours',
    theirs: 'Theirs',
    both: 'What both changed',
    none: 'It touches nothing that you changed: save yours, and both hold.',
    merged: (fields: string) => `Theirs stays as it is: ${fields}.`,
    saveMine: 'Save mine',
    takeTheirs: 'Take theirs',
    keepEditing: 'Keep editing',
  },
  once: {
    only: 'It is shown this once. Put it where the application reads its secrets.',
    lost: 'It was made, but its answer was lost, and it is never shown again. Remove it and make another.',
    stored: 'Stored?',
    gone: 'The secret is not shown again.',
    back: 'Back to the secret',
    yes: 'Yes, it is stored',
  },
  pick: {
    nothing: 'Nothing found',
    person: 'Name or address',
    application: 'Name or client_id',
    permission: 'Code or description',
    role: 'Name or code',
    organisation: 'Name or code',
    unit: 'Name or code',
    service: 'Name or code',
    event: 'Word or code',
    everything: 'Everything',
    allOf: (things: string) => `Everything about ${things}`,
    remove: 'Take out',
  },
  start,
  person,
  edit,
  ends,
  recover,
  profile,
  invite,
  importing,
  bulk,
  application,
  allowed,
  documents,
  proxied,
  fields,
  settings,
  exchange,
  issuers,
  secrets,
  organisation,
  upstream,
  domain,
  directory,
  mapping,
  opened,
  tryout,
  setup,
  key,
  mail,
  webhook,
  role,
  service,
  file,
  moving,
  policies,
  looks,
  installed,
  matrix,
  preview,
  trial,
  refused,
  palette,
  wizard,
  work,
  why,
  compare,
  whatIf,
  who,
  records,
  events,
  actions,
  actors,
  verified,
}
export type Messages = typeof en
