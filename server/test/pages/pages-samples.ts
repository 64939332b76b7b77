import { png } from '../harness/picture-server.ts'
import { confirmLogoutPage } from '../../dist/pages/confirm-logout-page.js'
import { errorPage } from '../../dist/pages/error-page.js'
import { formPostPage } from '../../dist/pages/form-post-page.js'
import { frontPage } from '../../dist/pages/front-page.js'
import type { Locale } from '../../dist/pages/locale.js'
import { enrolCodePage, enrolPage } from '../../dist/sign-in/enrol-page.js'
import { noProfilePage } from '../../dist/pages/no-profile-page.js'
import { signedOutPage } from '../../dist/pages/signed-out-page.js'
import { chooseProfilePage, type ProfileChoice } from '../../dist/sign-in/choose-profile-page.js'
import { consentPage } from '../../dist/sign-in/consent-page.js'
import {
  type FirstAdministratorErrors,
  firstAdministratorMadePage,
  firstAdministratorPage,
} from '../../dist/setup/first-administrator-page.js'
import {
  acceptedPage,
  acceptPage,
  expiredPage,
  knownPage,
  otherPersonPage,
  sentAgainPage,
} from '../../dist/invitation/invitation-page.js'
import { joinPage } from '../../dist/invitation/join-page.js'
import { confirmDevicePage } from '../../dist/sign-in/confirm-device-page.js'
import { deviceDonePage, devicePage } from '../../dist/sign-in/device-page.js'
import { addKeyPage } from '../../dist/account/add-key-page.js'
import { overviewPage } from '../../dist/account/overview-page.js'
import { activityPage } from '../../dist/account/activity-page.js'
import { applicationsPage } from '../../dist/account/applications-page.js'
import { profilesPage } from '../../dist/account/profiles-page.js'
import { dataPage } from '../../dist/account/data-page.js'
import { deletedPage, deletionPage } from '../../dist/account/deletion-page.js'
import { homePage } from '../../dist/account/home-page.js'
import { passwordFormPage } from '../../dist/account/password-page.js'
import * as address from '../../dist/account/address-page.js'
import { personPage } from '../../dist/account/person-page.js'
import { connectPage } from '../../dist/account/connect-page.js'
import { provedPage, provePage } from '../../dist/account/prove-page.js'
import { sessionsPage } from '../../dist/account/sessions-page.js'
import { accountSignInPage, addFactorPage, signInFirstPage } from '../../dist/account/sign-in-page.js'
import { recoveryCodesPage } from '../../dist/pages/recovery-codes-page.js'
import { leavingPage } from '../../dist/sign-in/leaving-page.js'
import { passwordPage } from '../../dist/sign-in/password-page.js'
import {
  directoryPage,
  upstreamChoicePage,
  upstreamFailedPage,
  upstreamLinkPage,
} from '../../dist/sign-in/upstream-page.js'
import { trialOverPage, trialPage, triedPage } from '../../dist/sign-in/upstream-trial-page.js'
import { guestPage } from '../../dist/sign-in/upstream-guest-page.js'
import { beginPage, guidePage, handedInPage } from '../../dist/connect/guide-page.js'
import {
  domainPage,
  finishPage,
  providerPage,
  provisioningPage,
  tryPage,
} from '../../dist/connect/step-pages.js'
import { valuesPage } from '../../dist/connect/values-page.js'
import { forgottenPage, forgottenSentPage } from '../../dist/sign-in/forgotten-page.js'
import { resetEndedPage, resetFactorPage, resetPage } from '../../dist/sign-in/reset-page.js'
import { secondFactorPage, type SecondFactorPageProps } from '../../dist/sign-in/second-factor-page.js'
import { temporaryPasswordPage } from '../../dist/sign-in/temporary-password-page.js'
import type { CameOf } from '../../dist/upstream/trial.js'
import { addressMismatch } from '../../dist/protocol/address-mismatch.js'
import { iamPermissions } from '../../dist/protocol/permission.js'

/** As a logo or a picture comes, but in the page itself. */
const square = `data:image/png;base64,${png(64).toString('base64')}`
const requestId = '018f3c1e-7f5a-7cc2-9d0b-5c2a4a1f77e0'
const here = '/post?request=abc' as const
const common = { requestId, csrf: 'a-token', action: here, here }
const connectOwn = {
  redirect: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f/callback',
  entityId: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f',
  acs: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f/acs',
  metadata: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f/metadata',
  keys: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f/jwks',
  logout: 'https://id.example.com/upstreams/5f0c6e6e-8f0b-4d4e-9d0a-2b1f3c4d5e6f/logout',
}
const description = `https://${'documents-'.repeat(6)}example/api/doc`
const clientName = 'Acme Submissions'
const accountName = 'Ada Lovelace'

export const hostileName = '<script>alert("1")</script> & \'O”Brien\''
const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

const triedOf = {
  ...{ id: '1', upstream_uuid: '2', draft_of: null, opened: true, expires_at: 0, problem: null, would: null },
  state: 'done' as 'done' | 'failed',
}
const role = { organisation_uuid: null, role_code: 'importer', unit_uuid: null }
const cameOfAda: CameOf = {
  ...{
    subject: `${longWord}/0b5c2a4a-1f77`,
    contexts: [],
    amr: [],
    claims: {},
    auth_time: 1_700_000_000_000,
  },
  fields: { email: 'ada@acme.example', name: accountName, given_name: 'Ada', family_name: 'Lovelace' },
  groups: ['staff', longWord, 'importers'],
}

const registered = {
  client_id: 'submissions-web',
  application_type: 'web',
  redirect_uris: ['https://app.example/callback', `https://app.example/${longWord}`],
  post_logout_redirect_uris: [],
} as const

const marked = (texts: string[], isNew = false) => texts.map((text) => ({ text, isNew }))

const anywhere = { organisation_name: null, unit_name: null, held_until: null }

const two: ProfileChoice[] = [
  {
    held_uuid: 'p-1',
    role_name: 'Case worker',
    organisation_name: 'City of Bern',
    unit_name: 'Building permits',
  },
  { held_uuid: 'p-2', role_name: 'Auditor', organisation_name: 'Canton of Zürich', unit_name: null },
]
const forty: ProfileChoice[] = Array.from({ length: 40 }, (_, index) => ({
  held_uuid: `p-${index}`,
  role_name: ['Case worker', 'Auditor', 'Team lead', 'Administrator'][index % 4] ?? 'Guest',
  organisation_name: index % 7 === 0 ? null : `Municipality of Sample Town ${index + 1}`,
  unit_name: index % 3 === 0 ? 'Building permits and planning' : null,
}))

const passkeys = { from: '/options?request=abc' }
const unknown = { rpId: 'acme.example', credentialId: 'abc' }

const acme = { uuid: 'u-1', name: 'Acme' }
const hostileUpstream = { uuid: 'u-2', name: hostileName + longWord }
const forgottenPath = '/sign-in/forgotten?request=abc'

const proving = {
  ways: { password: true, upstreams: [] },
  ...common,
  hidden: { do: 'add' },
  keysFrom: passkeys.from,
}

const noProfile = (locale: Locale, why: Partial<Parameters<typeof noProfilePage>[0]>) =>
  noProfilePage({
    ...common,
    ...{
      locale,
      accountName,
      clientName,
      elsewhere: false,
      shut: undefined,
      waits: false,
      forgotten: undefined,
    },
    ...why,
  })

const setUp = (locale: Locale, errors?: FirstAdministratorErrors) =>
  firstAdministratorPage({
    ...common,
    locale,
    hidden: { link: 'a-link' },
    least: 8,
    name: hostileName,
    email: longWord,
    errors,
  })

const enrolment = {
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  address: 'otpauth://totp/Tessera:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
}
const factor = {
  createdAt: 1_764_000_000_000,
  lastUsedAt: undefined,
  suspendedAt: undefined,
  backedUp: false,
  rpId: undefined,
}
const noKeys = { add: 'may', signals: [] } as const
const account = {
  ...common,
  accountName,
  hasPassword: true,
  zone: 'UTC',
  recoveryLeft: 8,
  mayAdd: true,
  rpId: 'id.example',
  keys: noKeys,
  links: { linked: [], isOnlyWay: false, offered: [] },
}

const happened = { at: 1_764_000_000_000, by: undefined, network: undefined, client: undefined }
const person = {
  ...common,
  name: accountName,
  email: 'ada@example.com',
  language: 'de',
  zoneinfo: 'Europe/Zurich',
  managed: false,
  changedBy: 'self',
} as const
const password = { ...common, email: 'ada@example.com', has: true, least: 8 }
const session = { createdAt: 1_764_000_000_000, lastSeenAt: 1_764_100_000_000 }
const own = {
  ...common,
  paths: {
    person: '/account/person',
    signIn: '/account/sign-in',
    sessions: '/account/sessions',
    applications: '/account/applications',
    profiles: '/account/profiles',
    activity: '/account/activity',
    data: '/account/data',
    console: '/console',
    deletion: '/account/deletion',
    signOut: '/oauth2/logout',
  },
}

const second = (locale: Locale, changes: Partial<SecondFactorPageProps>) =>
  secondFactorPage({
    ...common,
    locale,
    accountName,
    asks: 'app',
    other: '/sign-in/second-factor?request=abc&with=recovery',
    keysFrom: undefined,
    trustDays: 0,
    ...changes,
  })

/** Every page in every state that looks different. The key is the path it is served at. */
const invited = {
  ...common,
  offers: [
    { role_name: 'Case worker', organisation_name: 'City of Bern', unit_name: 'Building permits' },
    { role_name: longWord, organisation_name: hostileName, unit_name: null },
    { role_name: 'Auditor', organisation_name: null, unit_name: null },
  ],
  client: { client_name: clientName, client_uri: 'https://submissions.acme.example' },
  account: 'a•••@example.com',
  accountName,
}
const [usual] = invited.offers
const usually = { ...invited, offers: usual === undefined ? [] : [usual] }
const joining = {
  least: 8,
  keysFrom: passkeys.from,
  ...usually,
  email: `${longWord}@example.com`,
  name: '',
}

export const samples: Readonly<Record<string, (locale: Locale) => string>> = {
  password: (locale) => passwordPage({ ...common, locale, clientName }),
  'password-known': (locale) =>
    passwordPage({ ...common, locale, clientName, email: 'ada@example.com', accountName }),
  'password-wrong': (locale) =>
    passwordPage({ ...common, locale, clientName, email: 'ada@example.com', error: 'wrong_credentials' }),
  'password-missing-email': (locale) =>
    passwordPage({ ...common, locale, clientName, error: 'missing_email' }),
  'password-missing-password': (locale) =>
    passwordPage({ ...common, locale, clientName, email: 'ada@example.com', error: 'missing_password' }),
  'password-too-many': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName,
      email: 'ada@example.com',
      error: { kind: 'too_many_attempts', retryAfterSeconds: 240 },
    }),
  'password-busy': (locale) =>
    passwordPage({ ...common, locale, clientName, error: { kind: 'busy', retryAfterSeconds: 3 } }),
  'password-passkey': (locale) =>
    passwordPage({ ...common, locale, clientName, passkeys, forgotten: '/sign-in/forgotten?request=abc' }),
  'password-passkey-refused': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName,
      passkeys: { ...passkeys, unknown },
      error: 'passkey_refused',
    }),
  'sign-in-organisation': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName,
      passkeys,
      forgotten: forgottenPath,
      offers: { byDomain: true, upstreams: [] },
    }),
  'sign-in-organisation-wrong': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName,
      email: 'ada@example.com',
      passkeys,
      forgotten: forgottenPath,
      error: 'wrong_credentials',
      routed: true,
      offers: { byDomain: true, upstreams: [acme, hostileUpstream] },
    }),
  'sign-in-organisation-missing': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName,
      email: 'ada@example.com',
      error: 'no_organisation',
      offers: { byDomain: true, upstreams: [] },
    }),
  'password-hostile': (locale) =>
    passwordPage({
      ...common,
      locale,
      clientName: hostileName + longWord,
      email: hostileName,
      accountName: longWord,
    }),
  directory: (locale) => directoryPage({ ...common, locale, name: 'Acme' }),
  'directory-wrong': (locale) =>
    directoryPage({
      ...common,
      locale,
      name: hostileUpstream.name,
      typed: hostileName,
      error: 'wrongCredentials',
    }),
  'upstream-failed': (locale) =>
    upstreamFailedPage({ ...common, locale, name: 'Acme', because: 'setup', back: '/sign-in?request=abc' }),
  'upstream-failed-hostile': (locale) =>
    upstreamFailedPage({
      ...common,
      locale,
      name: hostileUpstream.name,
      because: 'conflict',
      back: '/sign-in?request=abc',
    }),
  'upstream-required': (locale) =>
    upstreamChoicePage({ ...common, locale, upstreams: [acme], organisation: 'City of Bern' }),
  'upstream-choice': (locale) =>
    upstreamChoicePage({ ...common, locale, upstreams: [acme, hostileUpstream], organisation: undefined }),
  'upstream-link': (locale) =>
    upstreamLinkPage({
      ...common,
      locale,
      name: hostileUpstream.name,
      email: 'ada@example.com',
      subject: `${longWord}/0b5c2a4a-1f77`,
      accountName,
    }),
  trial: (locale) => trialPage({ ...common, locale, name: 'Acme', typesPassword: false }),
  'trial-directory-wrong': (locale) => {
    const [name, typed] = [hostileUpstream.name, hostileName]
    return trialPage({ ...common, locale, name, typed, typesPassword: true, error: 'wrongCredentials' })
  },
  'trial-ended': (locale) => trialOverPage({ requestId, here, locale }),
  tried: (locale) =>
    triedPage({
      ...{ requestId, here, locale, name: 'Acme', registered: [], back: '/connect' },
      trial: {
        ...triedOf,
        came: cameOfAda,
        would: {
          ...{
            outcome: 'known',
            user_uuid: null,
            reason: 'address_domain',
            links: true,
            gives: [role],
            ends: [role],
          },
          changes: [{ field: 'name', before: 'Ada', after: accountName }],
        },
      },
    }),
  'tried-refused-hostile': (locale) =>
    triedPage({
      ...{ requestId, here, locale, name: hostileUpstream.name, back: null },
      registered: [`https://auth.example/upstreams/${longWord}/callback`],
      trial: {
        ...triedOf,
        state: 'failed',
        problem: { code: 'client_refused', message: hostileName + longWord },
        came: { ...cameOfAda, subject: hostileName, groups: 'unknown', auth_time: null },
      },
    }),
  'upstream-guest': (locale) =>
    guestPage({ ...common, locale, name: 'Acme', email: 'ada@example.com', sent: true }),
  'upstream-guest-too-many': (locale) =>
    guestPage({
      ...common,
      ...{ locale, name: hostileUpstream.name, email: `${longWord}@example.com` },
      ...{ sent: false, error: 'tooMany' },
    }),
  'connect-begin': (locale) =>
    beginPage({
      ...common,
      locale,
      organisation: hostileName + longWord,
      until: '29 November 2026, 10:00 UTC',
    }),
  'connect-overview': (locale) =>
    guidePage({
      ...common,
      locale,
      organisation: 'Acme',
      states: {
        provider: 'done',
        values: 'done',
        domain: 'toDo',
        trial: 'toDo',
        provisioning: 'optional',
        finish: 'toDo',
      },
    }),
  'connect-provider': (locale) => providerPage({ ...common, locale, chosen: 'okta' }),
  'connect-entra': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'entra',
      own: connectOwn,
      typed: {},
      hasSecret: false,
      kept: false,
    }),
  'connect-keycloak-wrong': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'keycloak',
      own: connectOwn,
      typed: { issuer: `https://${longWord}.example`, client_id: 'tessera' },
      hasSecret: true,
      kept: true,
      problem: {
        field: 'issuer',
        problem: 'documents',
        detail: `https://${longWord}.example names another issuer, ${hostileName}.`,
      },
    }),
  'connect-google': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'google',
      own: connectOwn,
      typed: {},
      hasSecret: true,
      kept: true,
    }),
  'connect-keycloak-saml': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'keycloak-saml',
      own: connectOwn,
      typed: {},
      hasSecret: false,
      kept: false,
    }),
  'connect-adfs': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'adfs',
      own: connectOwn,
      typed: {},
      hasSecret: false,
      kept: false,
    }),
  'connect-saml-wrong': (locale) =>
    valuesPage({
      ...common,
      locale,
      provider: 'saml',
      own: connectOwn,
      typed: { metadata: '<html>' },
      hasSecret: false,
      kept: false,
      problem: { field: 'metadata', problem: 'metadata', detail: 'The metadata is no SAML 2.0 metadata.' },
    }),
  'connect-domain': (locale) => domainPage({ ...common, locale, domain: undefined }),
  'connect-domain-missing': (locale) =>
    domainPage({
      ...common,
      locale,
      domain: { name: 'acme.example', token: `tessera-domain=${'x'.repeat(43)}` },
      look: 'no_record',
    }),
  'connect-trial': (locale) => tryPage({ ...common, locale, first: false, tried: true }),
  'connect-provisioning': (locale) =>
    provisioningPage({
      ...common,
      locale,
      provider: 'entra',
      baseUrl: 'https://id.example.com/scim/v2',
      hasToken: true,
      token: 'x'.repeat(43),
    }),
  'connect-finish': (locale) =>
    finishPage({
      ...common,
      locale,
      entered: [
        ['Domain', 'acme.example'],
        ['Issuer', `https://${longWord}.example`],
      ],
      notTried: true,
      noDomain: true,
      empty: false,
    }),
  'connect-handed-in': (locale) => handedInPage({ ...common, locale, here: undefined }),
  'second-factor': (locale) => second(locale, { trustDays: 30 }),
  'second-factor-wrong': (locale) => second(locale, { error: 'wrong', accountName: hostileName + longWord }),
  'second-factor-too-many': (locale) =>
    second(locale, { error: { retryAfterSeconds: 40 }, other: undefined }),
  'second-factor-passkey': (locale) => second(locale, { keysFrom: passkeys.from }),
  'second-factor-passkey-alone-wrong': (locale) =>
    second(locale, { asks: 'none', keysFrom: passkeys.from, error: 'wrongKey' }),
  'second-factor-recovery': (locale) => second(locale, { asks: 'recovery', error: 'missing' }),
  'second-factor-suspended': (locale) => second(locale, { asks: 'none', error: 'suspended' }),
  'password-temporary-refused': (locale) =>
    temporaryPasswordPage({ ...common, locale, clientName, least: 15, error: 'same' }),
  'reset-differs': (locale) =>
    resetPage({ ...common, locale, account: `<•••@${longWord}.example`, least: 8, error: 'differs' }),
  'reset-passkey': (locale) =>
    resetPage({ ...common, locale, account: 'a•••@example.com', least: 8, keysFrom: passkeys.from }),
  'reset-second-factor-passkey': (locale) =>
    resetFactorPage({
      ...common,
      locale,
      account: 'a•••@example.com',
      asks: 'app',
      other: '/sign-in/reset?link=abc&with=recovery',
      keysFrom: passkeys.from,
    }),
  'reset-refused': (locale) => resetEndedPage({ locale, requestId, again: '/sign-in/forgotten' }),
  'forgotten-missing': (locale) =>
    forgottenPage({ ...common, locale, back: '/sign-in?request=abc', error: 'missing' }),
  'forgotten-sent': (locale) =>
    forgottenSentPage({
      locale,
      requestId,
      email: hostileName + longWord,
      back: '/sign-in?request=abc',
      again: '/sign-in/forgotten?request=abc',
    }),
  'recovery-codes': (locale) =>
    recoveryCodesPage({
      ...common,
      locale,
      codes: Array.from({ length: 10 }, (_, index) => `${index + 1}-K3QF-9XWM-2TRB-HDN4`),
    }),
  account: (locale) =>
    overviewPage({
      ...own,
      locale,
      name: accountName,
      email: 'ada@example.com',
      picture: square,
      counts: { sessions: 1, applications: 0, profiles: 1 },
    }),
  'account-hostile': (locale) =>
    overviewPage({
      ...own,
      locale,
      name: hostileName,
      email: longWord,
      picture: square,
      counts: { sessions: 12, applications: 3, profiles: 40 },
    }),
  'account-sessions': (locale) =>
    sessionsPage({
      ...common,
      locale,
      sessions: [
        { ...session, sid: 's-1', browser: 'Firefox, Linux', network: '2001:db8:85a3::8a2e:370:7334' },
        { ...session, sid: 's-2', browser: hostileName, network: '192.0.2.1' },
        { ...session, sid: 's-3', browser: undefined, network: undefined },
      ],
      trusted: [{ id: 't-1', label: hostileName + longWord, provedAt: 1_764_000_000_000 }],
      current: 's-1',
      zone: 'Europe/Zurich',
      done: 'ended',
    }),
  'account-person': (locale) => personPage({ ...person, locale, done: 'saved' }),
  'account-person-wrong': (locale) =>
    personPage({ ...person, locale, name: hostileName + longWord, language: 'rm', error: 'name' }),
  'account-person-wrong-choice': (locale) => personPage({ ...person, locale, error: 'choice' }),
  'account-person-managed': (locale) =>
    personPage({ ...person, locale, managed: true, changedBy: { file: 'people.yaml' } }),
  'account-person-wrong-address': (locale) =>
    personPage({
      ...person,
      locale,
      changedBy: 'self',
      address: { next: `${longWord}@example.com`, error: 'wrong' },
    }),
  'account-person-administrator': (locale) => personPage({ ...person, locale, changedBy: 'administrator' }),
  'account-address': (locale) =>
    address.confirmPage({
      ...common,
      locale,
      from: 'ada@example.com',
      to: `${longWord}@example.com`,
      link: 'x',
    }),
  'account-address-wrong-person': (locale) =>
    address.otherPersonPage({ ...common, locale, email: 'ada@example.com' }),
  'account-address-ended': (locale) => address.endedPage({ ...common, locale }),
  'account-password': (locale) => passwordFormPage({ ...password, locale }),
  'account-password-wrong': (locale) =>
    passwordFormPage({ ...password, locale, errors: { current: 'wrong_password' } }),
  'account-password-wrong-short': (locale) =>
    passwordFormPage({ ...password, locale, errors: { next: 'too_short' } }),
  'account-password-too-many': (locale) =>
    passwordFormPage({ ...password, locale, errors: { current: { retryAfterSeconds: 40 } } }),
  'account-password-first': (locale) => passwordFormPage({ ...password, locale, has: false }),
  'account-applications': (locale) =>
    applicationsPage({
      ...common,
      locale,
      zone: 'UTC',
      done: 'withdrawn',
      applications: [hostileName + longWord, clientName].map((name) => ({
        client_id: 'acme',
        clientName: name,
        grantedAt: 1_764_000_000_000,
        shut: true,
        scopes: marked(['openid', 'email', 'x.custom']),
        claims: [],
        services: [{ name: 'Ledger', isNew: false, permissions: marked(['Read entries', longWord]) }],
        onward: [],
        more: false,
      })),
      unasked: [{ client_id: 'acme', clientName: hostileName + longWord, since: 1_764_000_000_000 }],
    }),
  'account-no-applications': (locale) =>
    applicationsPage({ ...common, locale, zone: 'UTC', applications: [], unasked: [] }),
  'account-profiles': (locale) =>
    profilesPage({
      ...common,
      locale,
      zone: 'Europe/Zurich',
      profiles: [
        {
          profile: {
            role_name: 'Case worker',
            organisation_name: 'City of Bern',
            unit_name: hostileName + longWord,
            held_until: 1_790_000_000_000,
          },
          services: [{ name: 'Ledger', isNew: false, permissions: marked(['Read entries']) }],
        },
        {
          profile: { ...anywhere, role_name: longWord },
          services: [{ name: undefined, isNew: false, permissions: marked([...iamPermissions]) }],
        },
        { profile: { ...anywhere, role_name: 'Guest' }, services: [] },
      ],
    }),
  'account-no-profiles': (locale) => profilesPage({ ...common, locale, zone: 'UTC', profiles: [] }),
  'account-activity': (locale) =>
    activityPage({
      ...common,
      locale,
      zone: 'UTC',
      older: '/account/activity?before=1',
      records: [
        { ...happened, kind: 'sign_in.succeeded', network: '192.0.2.1', client: 'Acme' },
        { ...happened, kind: 'user.changed', by: 'other' },
        { ...happened, kind: 'factor.suspended', by: 'service' },
        { ...happened, kind: hostileName, client: longWord },
      ],
    }),
  'account-nothing-happened': (locale) =>
    activityPage({ ...common, locale, zone: 'UTC', older: undefined, records: [] }),
  home: (locale) =>
    homePage({
      ...common,
      locale,
      accountName,
      account: '/account',
      console: '/console',
      applications: [
        { name: clientName, clientUri: 'https://submissions.acme.example/start', logo: square },
        {
          name: hostileName + longWord,
          clientUri: `https://${'documents-'.repeat(6)}example`,
          logo: undefined,
        },
        { name: 'A script', clientUri: 'javascript:alert(1)', logo: undefined },
      ],
    }),
  'home-none': (locale) =>
    homePage({
      ...common,
      locale,
      accountName: hostileName,
      account: '/account',
      console: undefined,
      applications: [],
    }),
  'account-deletion': (locale) => deletionPage({ ...common, locale, refusal: undefined }),
  'account-deletion-refused-last': (locale) =>
    deletionPage({ ...common, locale, refusal: 'last_administrator' }),
  'account-deletion-refused-off': (locale) => deletionPage({ ...common, locale, refusal: 'off' }),
  'account-deletion-refused-managed': (locale) => deletionPage({ ...common, locale, refusal: 'managed' }),
  'account-deleted': (locale) => deletedPage({ ...common, locale, at: 1_764_000_000_000, zone: 'UTC' }),
  leaving: (locale) =>
    leavingPage({ ...common, locale, accountName: hostileName, at: 1_764_000_000_000, zone: 'UTC' }),
  'account-data': (locale) => dataPage({ ...common, locale, minutes: undefined }),
  'account-data-too-many': (locale) => dataPage({ ...common, locale, minutes: 40 }),
  'account-none': (locale) => accountSignInPage({ ...account, locale, factors: [] }),
  'account-factors-wrong': (locale) =>
    accountSignInPage({
      ...account,
      locale,
      factors: [
        { ...factor, id: 'f-1', kind: 'totp', name: 'Phone', lastUsedAt: 1_764_100_000_000 },
        { ...factor, id: 'f-2', kind: 'security_key', name: hostileName + longWord, suspendedAt: 1 },
      ],
      error: 'lastOne',
    }),
  'account-passkeys': (locale) =>
    accountSignInPage({
      ...account,
      locale,
      factors: [
        { ...factor, id: 'f-1', kind: 'passkey', name: 'Bitwarden', rpId: 'id.example', backedUp: true },
        { ...factor, id: 'f-2', kind: 'passkey', name: longWord, rpId: `${'earlier-'.repeat(7)}.example` },
      ],
      keys: { add: 'too_many', signals: [{ method: 'signalNothing', told: { name: hostileName } }] },
    }),
  'account-links-refused': (locale) =>
    accountSignInPage({
      ...account,
      ...{ locale, factors: [] },
      links: {
        linked: [
          { ...acme, since: 1_764_000_000_000 },
          { ...hostileUpstream, since: 1 },
        ],
        ...{ isOnlyWay: false, offered: [{ uuid: 'u-3', name: 'Globex' }, hostileUpstream] },
      },
      error: 'unproved',
    }),
  'account-links-only-way': (locale) =>
    accountSignInPage({
      ...account,
      ...{ locale, factors: [] },
      links: { linked: [{ ...acme, since: 1_764_000_000_000 }], isOnlyWay: true, offered: [] },
    }),
  'account-connect': (locale) =>
    connectPage({
      ...{ ...common, locale, back: '/account/sign-in' },
      own: { name: accountName, email: 'ada@example.com' },
      there: { upstream: 'Acme', subject: '7f1c', name: 'Ada King', email: 'ada@acme.example' },
      endsBreakGlass: false,
    }),
  'account-connect-hostile': (locale) =>
    connectPage({
      ...{ ...common, locale, back: '/account/sign-in' },
      own: { name: hostileName, email: `${longWord}@example.com` },
      there: { upstream: hostileUpstream.name, subject: longWord, name: undefined, email: undefined },
      endsBreakGlass: true,
    }),
  'account-by-ip': (locale) =>
    accountSignInPage({ ...account, locale, factors: [], rpId: undefined, keys: { ...noKeys, add: 'ip' } }),
  'account-add-passkey-wrong': (locale) =>
    addKeyPage({ ...common, locale, from: passkeys.from, error: 'wrong' }),
  'account-prove-passkey': (locale) => provePage({ ...proving, locale, stale: ['password', 'key'] }),
  'account-prove-upstream': (locale) =>
    provePage({
      ...proving,
      locale,
      stale: ['password', 'code'],
      ways: { password: false, upstreams: [acme, hostileUpstream] },
    }),
  'account-proved': (locale) => provedPage({ ...common, locale }),
  'account-add-wrong': (locale) => addFactorPage({ ...common, ...enrolment, locale, error: 'clock' }),
  'account-prove-wrong': (locale) =>
    provePage({ ...proving, locale, stale: ['password', 'code'], error: 'wrong_code' }),
  'account-nobody': (locale) => signInFirstPage({ requestId, here, locale }),
  'first-administrator': (locale) =>
    firstAdministratorPage({ ...common, locale, hidden: { link: 'a-link' }, least: 8 }),
  'first-administrator-wrong': (locale) =>
    setUp(locale, { name: 'wrong', email: 'taken', password: 'too_common' }),
  'invitation-join': (locale) => joinPage({ ...joining, locale }),
  'invitation-join-wrong': (locale) =>
    joinPage({
      ...joining,
      ...invited,
      locale,
      name: hostileName,
      errors: { name: 'wrong', password: 'differs' },
    }),
  'invitation-known': (locale) => knownPage({ ...usually, locale }),
  'invitation-accept': (locale) => acceptPage({ ...invited, locale }),
  'invitation-accept-own': (locale) =>
    acceptPage({
      ...invited,
      locale,
      own: { least: 8, keysFrom: '/invitation/passkey?link=x', errors: undefined },
    }),
  'invitation-accept-own-differs': (locale) =>
    acceptPage({
      ...invited,
      locale,
      own: { least: 8, keysFrom: '/invitation/passkey?link=x', errors: { password: 'differs' } },
    }),
  'invitation-accept-nothing': (locale) => acceptPage({ ...invited, locale, offers: [], client: undefined }),
  'invitation-other': (locale) => otherPersonPage({ ...invited, locale }),
  'invitation-expired': (locale) => expiredPage({ ...invited, locale, mails: false }),
  'invitation-expired-again': (locale) => expiredPage({ ...invited, locale, mails: true }),
  'invitation-sent-again': (locale) => sentAgainPage({ ...invited, locale }),
  'invitation-accepted': (locale) => acceptedPage({ ...invited, locale, waits: undefined }),
  'invitation-accepted-waits': (locale) =>
    acceptedPage({ ...invited, locale, waits: { forgotten: '/sign-in/forgotten' } }),
  'invitation-accepted-nowhere': (locale) =>
    acceptedPage({ ...invited, locale, accountName: undefined, client: undefined, waits: undefined }),
  'first-administrator-differs': (locale) => setUp(locale, { password: 'differs' }),
  'first-administrator-made': (locale) =>
    firstAdministratorMadePage({
      locale,
      requestId,
      email: `${longWord}@example.com`,
      description,
      console: '/console',
    }),
  'profile-two': (locale) =>
    chooseProfilePage({
      ...common,
      brand: { name: 'Acme', logo: square },
      locale,
      clientName,
      accountName,
      picture: square,
      profiles: two,
      selected: 'p-2',
    }),
  'profile-forty': (locale) =>
    chooseProfilePage({ ...common, locale, clientName, accountName, profiles: forty, selected: 'p-17' }),
  'profile-missing': (locale) =>
    chooseProfilePage({ ...common, locale, clientName, accountName, profiles: two, error: true }),
  'profile-hostile': (locale) =>
    chooseProfilePage({
      ...common,
      locale,
      clientName: 'بوابة الطلبات',
      accountName: hostileName,
      profiles: [
        { held_uuid: 'a"b', role_name: longWord, organisation_name: hostileName, unit_name: longWord },
        {
          held_uuid: 'c',
          role_name: 'مدقق (داخلي)',
          organisation_name: 'City of Bern',
          unit_name: 'وحدة 12',
        },
      ],
      error: true,
    }),
  consent: (locale) =>
    consentPage({
      logo: square,
      publisher: { name: 'Acme', links: { policy_uri: 'https://acme.example/privacy' } },
      ...common,
      locale,
      clientName,
      clientUri: 'https://acme.example/about',
      accountName,
      scopes: marked(['openid', 'email', 'profile', 'service.api', 'x.custom']),
      claims: [],
      services: [
        { name: 'Ledger', isNew: false, permissions: marked(['Read entries', 'Book an entry']) },
        { name: 'Canteen', isNew: false, permissions: [] },
      ],
      redirectPlace: 'submissions.acme.example',
      redirectHosts: marked(['submissions.acme.example']),
      onward: [],
      more: false,
    }),
  'consent-more': (locale) =>
    consentPage({
      ...common,
      locale,
      clientName,
      accountName,
      scopes: marked(['openid', 'service.api']),
      claims: [...marked(['email']), ...marked(['permissions:ledger'], true)],
      services: [
        {
          name: 'Ledger',
          isNew: false,
          permissions: [...marked(['Read entries']), ...marked(['Book an entry'], true)],
        },
        { name: undefined, isNew: true, permissions: marked([...iamPermissions], true) },
      ],
      redirectPlace: 'submissions.acme.example',
      redirectHosts: [...marked(['submissions.acme.example']), ...marked(['elsewhere.example'], true)],
      onward: [{ name: 'Archive', isNew: true, permissions: marked(['Read what is archived'], true) }],
      more: true,
    }),
  'consent-hostile': (locale) =>
    consentPage({
      ...common,
      locale,
      clientName: hostileName,
      clientUri: 'javascript:alert(1)',
      accountName: longWord,
      scopes: marked(['openid', hostileName, 'constructor', '__proto__']),
      claims: marked([hostileName, 'constructor', `permissions:${longWord}`]),
      services: [
        { name: hostileName, isNew: true, permissions: marked([hostileName, longWord, 'constructor'], true) },
        { name: undefined, isNew: true, permissions: marked(['iam.constructor.__proto__', hostileName]) },
      ],
      redirectPlace: `${longWord}.example`,
      redirectHosts: marked([longWord, hostileName]),
      onward: [],
      more: true,
    }),
  device: (locale) => devicePage({ ...common, locale }),
  'device-prefilled': (locale) => devicePage({ ...common, locale, userCode: 'BCDF-GHJK' }),
  'device-wrong': (locale) => devicePage({ ...common, locale, userCode: hostileName, error: 'unknown' }),
  'device-missing': (locale) => devicePage({ ...common, locale, error: 'missing' }),
  'device-too-many': (locale) =>
    devicePage({ ...common, locale, userCode: 'BCDF-GHJK', error: { retryAfterSeconds: 240 } }),
  'device-done': (locale) => deviceDonePage({ locale, requestId, here, outcome: 'allowed' }),
  'device-denied': (locale) => deviceDonePage({ locale, requestId, here, outcome: 'denied' }),
  'device-allowed-before': (locale) => deviceDonePage({ locale, requestId, here, outcome: 'allowedBefore' }),
  'confirm-device': (locale) =>
    confirmDevicePage({
      ...common,
      locale,
      clientName,
      accountName,
      profile: { role_name: 'Case worker', organisation_name: 'City of Bern', unit_name: 'Building permits' },
      userCode: 'BCDF-GHJK',
      scopes: marked(['openid', 'email', 'service.api']),
      claims: [],
      services: [{ name: 'Ledger', isNew: false, permissions: marked(['Read entries', 'Book an entry']) }],
      onward: [],
      more: false,
    }),
  'confirm-device-hostile': (locale) =>
    confirmDevicePage({
      ...common,
      locale,
      clientName: hostileName,
      accountName: longWord,
      profile: { role_name: longWord, organisation_name: hostileName, unit_name: null },
      userCode: 'WWWW-MMMM',
      scopes: marked(['openid', hostileName]),
      claims: marked(['email']),
      services: [{ name: undefined, isNew: true, permissions: marked([...iamPermissions], true) }],
      onward: [],
      more: true,
    }),
  front: (locale) =>
    frontPage({
      ...common,
      locale,
      door: '/home',
      console: '/console',
      issuer: `https://${longWord}.example`,
      description,
    }),
  'signed-out': (locale) => signedOutPage({ locale, requestId, here, again: '/account' }),
  'confirm-logout': (locale) =>
    confirmLogoutPage({
      ...common,
      locale,
      hidden: { state: 'a"b', client_id: 'acme' },
      accountName,
      clientName,
    }),
  'confirm-logout-hostile': (locale) =>
    confirmLogoutPage({
      ...common,
      locale,
      hidden: { [hostileName]: hostileName },
      accountName: hostileName,
    }),
  'form-post': (locale) =>
    formPostPage({
      locale,
      requestId,
      redirectUri: 'https://submissions.acme.example/callback',
      answer: { code: 'a-code', state: hostileName, iss: 'https://id.acme.example' },
    }),
  'form-post-hostile': (locale) =>
    formPostPage({
      locale,
      requestId,
      redirectUri: `https://${'documents-'.repeat(6)}example/callback?tenant=1&x='`,
      answer: { error: 'access_denied', error_description: hostileName, state: longWord },
    }),
  'no-profile': (locale) => noProfile(locale, {}),
  'no-profile-elsewhere': (locale) => noProfile(locale, { elsewhere: true }),
  'no-profile-shut': (locale) =>
    noProfile(locale, {
      elsewhere: true,
      shut: [{ role: 'Head of office', organisation: 'Acme Institute' }],
    }),
  'no-profile-waits': (locale) => noProfile(locale, { waits: true, forgotten: '/sign-in/forgotten' }),
  enrol: (locale) =>
    enrolPage({ ...common, locale, clientName, graceDays: 7, enrolment, keysFrom: undefined }),
  'enrol-wrong': (locale) =>
    enrolPage({
      ...common,
      locale,
      clientName: hostileName + longWord,
      graceDays: undefined,
      enrolment: { ...enrolment, error: 'wrong' },
      keysFrom: undefined,
    }),
  'enrol-code': (locale) =>
    enrolCodePage({ ...common, locale, address: longWord, sent: false, graceDays: 7 }),
  'enrol-code-wrong': (locale) =>
    enrolCodePage({
      ...common,
      locale,
      address: hostileName,
      sent: true,
      error: 'wrong',
      graceDays: undefined,
    }),
  'enrol-code-too-many': (locale) =>
    enrolCodePage({
      ...common,
      locale,
      address: 'ada@example.com',
      sent: true,
      error: 'tooMany',
      graceDays: 1,
    }),
  'enrol-passkey': (locale) =>
    enrolPage({ ...common, locale, clientName, graceDays: 7, enrolment, keysFrom: passkeys.from }),
  'enrol-passkey-wrong': (locale) =>
    enrolPage({
      ...common,
      locale,
      clientName,
      graceDays: undefined,
      enrolment: undefined,
      keysFrom: passkeys.from,
      wrongKey: true,
    }),
  'error-redirect-uri': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: 'invalid_redirect_uri',
      description: 'The redirect_uri is not exactly one that is registered for this client.',
      mismatch: addressMismatch(registered, 'redirect_uris', `https://app.example/${longWord}/`),
    }),
  'error-redirect-uri-development': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: 'invalid_redirect_uri',
      description: 'The redirect_uri is not exactly one that is registered for this client.',
      mismatch: addressMismatch(registered, 'redirect_uris', `https://app.example/${longWord}/`),
      development: true,
    }),
  'error-expired': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: 'request_expired',
      description: `The parameter ${longWord} is repeated; send it once.`,
    }),
  'error-expired-known': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      application: { name: hostileName + longWord, address: undefined },
      error: 'request_expired',
      description: 'This sign-in is over.',
    }),
  'signed-in-already': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      application: { name: hostileName, address: 'https://app.example/' },
      error: 'request_expired',
      description: 'This sign-in is done already. Go back to the application.',
      situation: 'signed_in',
    }),
  'error-no-cookies': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: 'request_expired',
      description:
        'The browser sent no cookie, so nothing shows that this sign-in is its own. Allow cookies for this address, go back to the application and start again.',
      situation: 'no_cookies',
    }),
  'error-too-many-cookies': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: 'invalid_request',
      description: `The cookies for ${longWord}.example are larger than this service reads.`,
      situation: 'too_many_cookies',
    }),
  'error-unknown': (locale) =>
    errorPage({
      locale,
      requestId,
      here,
      error: hostileName,
      description: hostileName,
    }),
}
