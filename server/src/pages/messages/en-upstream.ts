import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words of a sign-in through an organisation's own provider. */
export const upstream = {
  upstream: {
    continue: 'Continue with your organisation',
    continueWith: (name: string) => `Continue with ${name}`,
    noOrganisation:
      'No organisation here signs in people of that domain. Check the address, or sign in with your password.',
    usual: 'People with an address of this domain sign in through their organisation.',
    noTime:
      'Your organisation’s provider does not say when you signed in, which this application asks for. Sign in here.',
    beyond: 'For this application, prove that it is you by a password or passkey of your own.',
    chooseTitle: 'Choose how to sign in',
    chooseText: 'Your organisation has several ways to sign in.',
    requiredTitle: (name: string) => `Sign in through ${name}`,
    requiredText: (organisation: Child) =>
      phrase`${organisation} asks its people to sign in through their own provider.`,
    failedTitle: (name: string) => `The sign-in through ${name} did not work`,
    back: 'Back to the sign-in',
    failed: {
      unreachable: 'It does not answer. Try again in a few minutes, or tell the people who run it.',
      setup:
        'Its answer can not be used: something is not set up right between it and this service. Tell your administrators; the number below helps them to find it.',
      denied: 'The sign-in was cancelled there, or refused.',
      over: 'The sign-in took too long, was used already, or began in another browser. Start again.',
      too_old:
        'A new sign-in was asked for, and it answered with an older one. Sign out there, and try again.',
      inactive: 'It is disabled here at the moment. Ask your administrators.',
      unknown_person:
        'It knows you, and there is no account for you here yet. Ask your administrators to invite you.',
      no_address: 'It does not tell your e-mail address. Ask your administrators to let it.',
      outside_domains: 'Your address is of a domain that it does not speak for. Ask your administrators.',
      conflict:
        'The account with your address belongs to another sign-in there. Ask your administrators to look at its link.',
      disabled: 'Your account is disabled. Ask your administrators.',
      needed:
        'You are the only one who gets in when it does not work. Ask your administrators to name somebody else first.',
      other_person: 'You signed in there as somebody else than you are here. Sign out there, and try again.',
      untimed:
        'It does not say when you signed in, so it can not prove that anew. Set a password of your own: sign out here, and choose at the sign-in that you forgot it.',
      taken:
        'That sign-in belongs to another account here, or your account to another sign-in there. Nothing was connected.',
    },
    ldapText: (name: Child) => phrase`Enter the name and password that you use at ${name}.`,
    name: 'User name or e-mail address',
    password: 'Password',
    submit: 'Sign in',
    wrongCredentials: 'That name and password do not match. Check both and try again.',
    throttled: 'There were too many wrong passwords. Try again in a quarter of an hour.',
    missing: 'Enter your name and your password.',
    provedTitle: 'You have proved it',
    provedText: 'Your proof counts for ten minutes. Now go on with what you wanted to do.',
    linksTitle: 'Sign-ins of organisations',
    linkedSince: (date: string) => `Connected on ${date}`,
    lastWay: 'It is your only way in. Set a password or a passkey of your own before you remove it.',
    connectWith: (name: string) => `Connect with ${name}`,
    connectHere: (who: Child) => phrase`Here you are ${who}.`,
    connectKnown: (who: Child, name: Child) => phrase`${name} calls you ${who}.`,
    connectText: (name: Child) =>
      phrase`From now on, whoever signs in there as that person can sign in to your account through ${name}.`,
    connectBreakGlass:
      'You are one of those who get in when this organisation’s provider does not work. If you connect it, you no longer are.',
    connectRefused: {
      unproved:
        'Nobody has confirmed yet that this account is yours. Sign out, choose at the sign-in that you forgot your password, and set a new one by the mail.',
      notOffered:
        'This sign-in can not be connected now: it is connected already, is disabled, or opens more than what you have proved.',
    },
    connectDone: {
      connected: 'The sign-in is connected.',
      unlinked: 'The sign-in was removed.',
      over: 'That took too long. Nothing was connected.',
    },
    guestTitle: 'Confirm your address',
    guestText: (email: Child, name: Child) =>
      phrase`${name} signs you in, but does not speak for the domain of ${email}. Show that the address is yours.`,
    linkTitle: 'Connect the two sign-ins?',
    linkText: (email: Child, name: Child) =>
      phrase`The account with ${email} is there already. From now on you could also sign in to it through ${name}.`,
    linkAs: (subject: Child, name: Child) => phrase`At ${name} you are ${subject}.`,
    link: 'Connect',
    notNow: 'Not now',
  },
}
