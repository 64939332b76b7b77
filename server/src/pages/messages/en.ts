import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import { errors } from './en-errors.ts'
import { phrase } from './phrase.ts'

export const en = {
  common: {
    errorPrefix: 'Error:',
    request: 'Request',
    cancel: 'Cancel',
    continue: 'Continue',
    useAnotherAccount: 'Use another account',
    signedInAs: (account: Child) => phrase`Signed in as ${account}`,
    newTab: '(opens in a new tab)',
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
  },
  firstAdministrator: {
    title: 'Set up the first administrator',
    heading: 'Set up the first administrator',
    lead: 'Whoever you name here administers the whole installation. This page can be used once.',
    name: 'Your name',
    email: 'Your e-mail address',
    password: 'A password',
    passwordHint: (least: number, most: number) => `${least} to ${most} characters. Several words are best.`,
    again: 'The password again',
    submit: 'Set up',
    wrongName: { missing: 'Enter your name.', wrong: 'Enter a name of at most 200 characters.' },
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
    next: 'You can close this page. It cannot be used again.',
  },
  chooseProfile: {
    title: (client: string) => `Choose a profile for ${client}`,
    heading: 'Choose a profile',
    lead: (client: Child) => phrase`It decides what you can see and do in ${client}.`,
    legend: 'Your profiles',
    missingChoice: 'Choose the profile you want to use.',
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
        text: 'It can do there what the profile you are using is permitted to do.',
      },
    },
    unknownScope: 'An additional permission with this name.',
    returnTo: (host: Child) => phrase`Your browser then returns to ${host}.`,
    about: (link: Child) => phrase`About this application: ${link}`,
    withdraw: 'You can have this withdrawn at any time by whoever runs this service.',
    allow: 'Allow',
    deny: 'Do not allow',
  },
  signedOut: {
    title: 'Signed out',
    heading: 'You are signed out',
    text: 'Your session has ended. You can close this page now.',
    shared: 'If other people use this computer, close all browser windows too.',
  },
  confirmLogout: {
    title: 'Sign out?',
    heading: 'Do you want to sign out?',
    text: 'This ends your session in this browser, and with it your sign-in to every application you opened from here.',
    textClient: (client: Child) =>
      phrase`This ends your session in this browser, and with it your sign-in to ${client} and every other application you opened from here.`,
    submit: 'Sign out',
    stay: 'To stay signed in, close this page.',
  },
  noProfile: {
    title: 'No access yet',
    heading: 'You do not have access yet',
    text: (account: Child, client: Child) =>
      phrase`You are signed in as ${account}, but nobody has given this account a profile. Without one you cannot use ${client}.`,
    ask: 'Ask the person who manages access in your organisation to give this account a profile. The request number at the bottom of this page helps them to find it.',
    continue: (client: Child) => phrase`Return to ${client}`,
  },
  errorPage: {
    technical: 'Technical details',
    code: 'Error code',
    description: 'Description',
    unknown: {
      heading: 'Something went wrong',
      text: 'The request could not be completed.',
      next: 'Go back to the application and start again. If that does not help, tell support the request number below.',
    },
    codes: errors,
  },
}
