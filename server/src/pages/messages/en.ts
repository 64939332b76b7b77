import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import { account } from './en-account.ts'
import { details, errors, situations } from './en-errors.ts'
import { invitation } from './en-invitation.ts'
import { factors } from './en-factors.ts'
import { phrase } from './phrase.ts'
import { notices } from './en-notices.ts'
import { recovery } from './en-recovery.ts'
import { trial } from './en-trial.ts'
import { connect } from './en-connect.ts'
import { upstream } from './en-upstream.ts'

export const en = {
  common: {
    errorPrefix: 'Error:',
    request: 'Request',
    cancel: 'Cancel',
    continue: 'Continue',
    useAnotherAccount: 'Use another account',
    signedInAs: (account: Child) => phrase`Signed in as ${account}`,
    newTab: '(opens in a new tab)',
    language: 'Language',
    help: 'Help',
    privacy: 'Privacy',
    terms: 'Terms',
    showPassword: 'Show',
    hidePassword: 'Hide',
    copy: 'Copy',
    copied: 'Copied',
  },
  front: {
    title: 'Sign-in and access',
    heading: 'Sign-in and access',
    text: 'Applications send people here to sign in. To do so, open the application that you want to use.',
    signIn: 'Sign in to see your applications and your account',
    developers: 'For developers',
    issuer: 'Issuer',
    description: 'Interface description, to read and to try',
    discovery: 'Discovery document',
  },
  password: {
    title: (client: string) => `Sign in to ${client}`,
    heading: 'Sign in',
    lead: (client: Child) => phrase`to continue to ${client}`,
    againHeading: 'Please sign in again',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, please confirm that it is you before you continue to ${client}.`,
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    missingEmail: 'Enter your e-mail address.',
    missingPassword: 'Enter your password.',
    wrongCredentials: 'That e-mail address and password do not match. Check both and try again.',
    tooManyAttempts: (seconds: number) =>
      `There were too many attempts to sign in. Please try again in ${duration('en', seconds)}.`,
    busy: (seconds: number) =>
      `Many people are signing in right now. Please try again in ${duration('en', seconds)}.`,
    passkey: 'Sign in with a passkey',
    passkeyFailed: 'No passkey was used. Try again, or sign in with your password.',
    passkeyRefused: 'That passkey was not accepted. Sign in with your password, or with another passkey.',
    passkeyNeeds: 'To sign in with a passkey, turn on JavaScript in your browser.',
  },
  firstAdministrator: {
    title: 'Set up the first administrator',
    heading: 'Set up the first administrator',
    lead: 'The person you name here administers the whole installation. This page can be used once.',
    name: 'Your name',
    email: 'Your e-mail address',
    password: 'A password',
    passwordHint: (least: number, most: number) => `${least} to ${most} characters. Several words are best.`,
    again: 'The password again',
    submit: 'Set up',
    wrongName: {
      missing: 'Enter your name.',
      wrong: 'Enter a name of at most 200 characters, without invisible ones.',
    },
    wrongEmail: {
      missing: 'Enter your e-mail address.',
      wrong: 'Enter an e-mail address, such as lena.hoff@example.com.',
      taken: 'Somebody has this e-mail address already. Enter another one.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Enter a password.',
      too_short: `The password needs at least ${least} characters.`,
      too_long: `The password may have at most ${most} characters.`,
      untypable: 'The password holds a character that cannot be typed.',
      too_common:
        'This is one of the passwords that are guessed first. Take several words, or what a password manager makes.',
      differs: 'The two passwords are not the same. Enter both again.',
    }),
  },
  firstAdministratorMade: {
    title: 'The first administrator is set up',
    heading: 'You administer this installation',
    text: (email: Child) => phrase`From now on ${email} signs in with the password you have just chosen.`,
    steps: 'Your first steps',
    secure: (link: Child) => phrase`You are signed in: ${link}.`,
    secureLink: 'set up a second factor',
    manage: (link: Child) => phrase`Look after people and applications in ${link}.`,
    manageLink: 'the console',
    registerLink: 'Connect an application',
    register: (command: Child) => phrase`Register an application: ${command} knows many by name.`,
    peopleLink: 'Invite somebody',
    people: (command: Child) => phrase`Add people: ${command}.`,
    next: (description: Child) =>
      phrase`This page cannot be used again. What you can administer from now on, by the command or by the interface, stands in the ${description}.`,
    description: 'interface description',
  },
  chooseProfile: {
    title: (client: string) => `Choose a profile for ${client}`,
    heading: 'Choose a profile',
    lead: (client: Child) => phrase`It decides what you can see and do in ${client}.`,
    legend: 'Your profiles',
    last: 'Used last',
    notAvailable: 'That profile is no longer available. Choose another one.',
  },
  consent: {
    title: (client: string) => `Allow ${client}?`,
    heading: (client: Child) => phrase`Allow ${client} to use your account?`,
    scopesHeading: (client: Child) => phrase`What ${client} will get`,
    scopes: {
      openid: {
        label: 'Who you are here',
        text: 'An identifier of your account, and the profile you are using: role, organisation and unit.',
      },
      email: { label: 'Your e-mail address', text: 'The address, and whether it has been confirmed.' },
      profile: {
        label: 'Your personal details',
        text: 'Name, user name, picture, language and time zone, as far as they are known.',
      },
      'service.api': {
        label: 'Access to services in your name',
        text: 'What is listed below, as far as the profile you are using permits it.',
      },
      groups: {
        label: 'Your groups',
        text: 'Names that the application knows you by, made of your role, your organisation or what you may do.',
      },
      offline_access: {
        label: 'Access while you are away',
        text: 'It may renew what it was given until you sign out.',
      },
    },
    more: (client: Child) => phrase`You have allowed ${client} something before. What is new is marked.`,
    isNew: 'New',
    administration: 'Administration of this service',
    nothingThere: 'It may call this service, and has no permission there.',
    moreThere: (count: number) => `${count} more`,
    onwardHeading: 'What these services may do for you elsewhere',
    otherPlaces: 'It may also send your browser to',
    actions: { read: 'see', create: 'add', update: 'change', delete: 'remove' },
    resources: {
      users: 'People',
      organisations: 'Organisations',
      units: 'Units',
      profiles: 'Profiles',
      roles: 'Roles',
      permissions: 'Permissions',
      services: 'Services',
      clients: 'Applications and machines',
      sessions: 'Sessions',
      consents: 'Consents',
      keys: 'Signing keys',
      audit: 'Audit',
      access: 'Access',
      webhooks: 'Webhooks',
      invitations: 'Invitations',
      mails: 'Mails',
    },
    claims: {
      email: 'Your e-mail address',
      name: 'Your name',
      given_name: 'Your given name',
      family_name: 'Your family name',
      preferred_username: 'Your user name',
      picture: 'The address of your picture',
      locale: 'Your language',
      zoneinfo: 'Your time zone',
      former_sub: 'Your id at the service before this one',
      groups: 'Your groups',
    },
    permissionsAt: (service: Child) => phrase`What the profile you are using permits at ${service}`,
    unknownScope: 'An additional permission with this name.',
    documentAt: (host: Child) =>
      phrase`The publisher of this application is whoever has ${host}. Allow it only if you have just started it yourself.`,
    toProgram: 'What you allow goes to a program on this computer.',
    returnTo: (host: Child) => phrase`Your browser then returns to ${host}.`,
    publisher: (name: Child) => phrase`Published by ${name}`,
    about: (link: Child) => phrase`About this application: ${link}`,
    withdraw: (page: Child) => phrase`You can withdraw this yourself at any time: ${page}.`,
    allow: 'Allow',
    deny: 'Do not allow',
  },
  device: {
    title: 'Connect a device',
    heading: 'Connect a device',
    lead: 'Enter the code that your device or program shows.',
    code: 'Code',
    hint: 'Eight letters, such as BCDF-GHJK.',
    missing: 'Enter the code.',
    unknown: 'There is no such code, or it has expired. Compare it with your device, or start again there.',
    tooMany: (seconds: number) =>
      `There were too many wrong codes. Please try again in ${duration('en', seconds)}.`,
    note: 'You will be asked before the device gets anything.',
  },
  confirmDevice: {
    title: (client: string) => `Allow ${client} on a device?`,
    heading: (client: Child) => phrase`Allow ${client} on a device to use your account?`,
    compare: 'Your device must show exactly this code:',
    warning: 'Only go on if you began this yourself, on your own device.',
    why: (client: Child) =>
      phrase`If somebody sent you the code or a link to this page, they want to use ${client} in your name.`,
  },
  deviceDone: {
    allowed: {
      title: 'Your device is connected',
      heading: 'Your device is connected',
      text: 'Go on at your device. You can close this page now.',
    },
    denied: {
      title: 'Nothing was allowed',
      heading: 'Nothing was allowed',
      text: 'The device does not get access to your account. You can close this page now.',
    },
    allowedBefore: {
      title: 'This device was allowed before',
      heading: 'This device was allowed before',
      text: 'It has its access already: you, or somebody else, allowed it. Your refusal changed nothing. If you allowed it and did not mean to, take the access back in your account.',
    },
  },
  signedOut: {
    title: 'Signed out',
    heading: 'You are signed out',
    text: 'Your session has ended. You can close this page now.',
    shared: 'If other people use this computer, close all browser windows too.',
    again: 'Sign in again',
  },
  confirmLogout: {
    title: 'Sign out?',
    heading: 'Do you want to sign out?',
    text: 'This ends your session in this browser, and with it your sign-in to every application you opened from here.',
    textClient: (client: Child) =>
      phrase`This ends your session in this browser, and with it your sign-in to ${client} and every other application you opened from here.`,
    textHere: (client: Child) =>
      phrase`This ends your sign-in to ${client} in this browser. You stay signed in to every other application.`,
    submit: 'Sign out',
    stay: 'Stay signed in',
  },
  noProfile: {
    title: 'No access yet',
    heading: 'You do not have access yet',
    text: (account: Child, client: Child) =>
      phrase`You are signed in as ${account}, but nobody has given this account a profile. Without one you cannot use ${client}.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`You are signed in as ${account}, and none of your profiles is at the organisation that ${client} belongs to.`,
    textShut: (account: Child, client: Child) =>
      phrase`You are signed in as ${account}, and none of your profiles opens ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`You are signed in as ${account}, and the profiles of this account wait: nobody has shown yet that it is yours. Have a link mailed to you and set a new password by it. Then you can use ${client}.`,
    sendLink: 'Send me the link',
    whoGives: 'Whoever has one of these roles can give you access:',
    ask: 'Ask the person who manages access in your organisation to give this account a profile. The request number at the bottom of this page helps them to find it.',
    continue: (client: Child) => phrase`Return to ${client}`,
  },
  formPost: {
    title: (place: string) => `Back to ${place}`,
    heading: 'Back to the application',
    text: (place: Child) =>
      phrase`Your browser is returning to ${place}. If that does not happen by itself, press the button.`,
  },
  ...factors,
  account,
  ...notices,
  ...recovery,
  ...upstream,
  ...trial,
  ...connect,
  invitation,
  errorPage: {
    technical: 'Technical details',
    code: 'Error code',
    description: 'Description',
    returnAddress: 'Return address',
    unknown: {
      heading: 'Something went wrong',
      text: 'The request could not be completed.',
      next: 'Go back to the application and start again. If that does not help, tell support the request number below.',
    },
    codes: errors,
    situations,
    details,
  },
}

/** English is the original; the compiler holds every other language to its keys and parameters. */
export type Messages = typeof en
