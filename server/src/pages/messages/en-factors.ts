import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import { phrase } from './phrase.ts'

/** The words about second factors. */
export const factors = {
  secondFactor: {
    title: 'Confirm that it is you',
    heading: 'Confirm that it is you',
    lead: (account: Child) => phrase`${account}, your password alone is not enough here.`,
    code: 'Code from your authenticator app',
    hint: 'Six digits. Each code counts once.',
    recoveryLead:
      'Each recovery code counts once. You wrote them down or printed them when you set up your second factor.',
    recoveryCode: 'Recovery code',
    recoveryHint: 'Such as 7-K3QF-9XWM-2TRB-HDN4, with its number.',
    submit: 'Continue',
    trust: (days: number) => `Do not ask for it in this browser for ${days === 1 ? 'a day' : `${days} days`}`,
    useKey: 'Use a passkey or security key',
    keyFailed: 'No passkey or security key was used. Try again.',
    keyNeeds: 'To use a passkey or security key, turn on JavaScript in your browser.',
    wrongKey: 'That passkey or security key was not accepted. Try again, or use another one.',
    keySuspended:
      'Your passkey or security key does not count at present, because there may be a copy of it. Use a recovery code, or ask the people who run this service.',
    useRecovery: 'Use a recovery code',
    useApp: 'Use your second factor',
    missing: 'Enter the code.',
    wrong: 'This code is wrong or was used before. Wait for the next one and enter that.',
    wrongRecovery: 'There is no such recovery code, or it was used before.',
    suspended:
      'There were too many wrong codes, so codes of your authenticator app do not count at present. Use a recovery code, a browser that you signed in with before, or ask the people who run this service.',
    tooMany: (seconds: number) =>
      `There were too many wrong codes. Please try again in ${duration('en', seconds)}.`,
  },
  enrol: {
    title: 'Set up a second factor',
    heading: 'Set up a second factor',
    lead: (client: Child) => phrase`Besides your password, ${client} wants a second proof that it is you.`,
    own: 'Besides your password, you then prove by it that it is you.',
    scan: 'Scan this with an authenticator app, such as the one of your phone or of your password manager.',
    qr: 'QR code with the key for your authenticator app',
    key: 'Or enter this key there:',
    name: 'A name for it',
    nameHint: 'So that you know it from others: the phone, for example.',
    defaultName: 'Authenticator app',
    code: 'The code that the app shows',
    submit: 'Set up',
    later: 'Later',
    laterNote: (days: number) =>
      days === 1
        ? 'You can do this later, until tomorrow. After that it is needed.'
        : `You can do this later, within ${days} days. After that it is needed.`,
    decline: 'Do not set up',
    missing: 'Enter the code that the app shows.',
    wrong: 'This is not the code of this key. Wait for the next one and enter that.',
    clock: 'The clock of your phone is wrong. Let it set its time by itself, then enter the next code.',
    expired: 'That took too long. Here is a new key: scan it, and remove the one before from the app.',
    tooMany: 'You have three authenticator apps already. Remove one first.',
    wrongName: 'Enter a name of at most 100 characters.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`First enter a code that is mailed to ${address}: who knows your password alone is to set up nothing.`,
    sent: (address: Child) =>
      phrase`A code of eight digits is on its way to ${address}. It counts for ten minutes, in this browser alone.`,
    code: 'Code from the mail',
    send: 'Send the code',
    again: 'Send another code',
    missing: 'Enter the code from the mail.',
    wrong: 'This code is wrong or does not count any more. After five wrong ones another code is needed.',
    tooMany: 'So many codes were sent that there is no other one for now. Try again later.',
  },
  enrolKey: {
    title: 'Set up a passkey or security key',
    passkeyText:
      'A passkey is kept by your device or password manager. You then sign in by your finger, your face or a PIN, without your password.',
    securityKeyText:
      'A security key is a small device that you plug in or hold to your phone. It follows your password.',
    passkey: 'Set up a passkey',
    securityKey: 'Set up a security key',
    failed: 'Nothing was set up. Try again.',
    taken: 'This device or key is set up already. Take another one.',
    wrong: 'That passkey or security key was not accepted. Try again.',
    needs: 'To set up a passkey or security key, turn on JavaScript in your browser.',
  },
  recoveryCodes: {
    title: 'Your recovery codes',
    heading: 'Keep these recovery codes',
    text: 'If you lose your second factor, each of them lets you in once, after your password. They are shown now and never again. Print them, or keep them in your password manager.',
    list: 'Recovery codes',
    saved: 'I have saved them',
  },
  accountSignIn: {
    title: 'How you sign in',
    heading: 'How you sign in',
    none: 'Your password is all there is: whoever knows it can sign in as you.',
    factors: 'Second factors',
    app: 'Authenticator app',
    passkey: 'Passkey',
    securityKey: 'Security key',
    made: (date: string) => `Set up on ${date}`,
    used: (date: string) => `Last used on ${date}`,
    suspended: 'Suspended after too many wrong codes',
    add: 'Add an authenticator app',
    addKey: 'Add a passkey or security key',
    tooManyKeys: 'You have ten passkeys and security keys already. Remove one to add another.',
    noKeysByIp: 'There are no passkeys and security keys here: this service has an IP address and no name.',
    synced: 'Synced between your devices',
    onDevice: 'Stays on one device',
    earlier: (domain: Child) => phrase`Of an earlier address (${domain}): it does not count here.`,
    suspendedKey: 'Suspended, because there may be a copy of it. Remove it and set up a new one.',
    elsewhere: 'Sign out everywhere else',
    rename: 'Rename',
    name: 'Name',
    remove: 'Remove',
    removeNamed: (name: Child) => phrase`Remove ${name}`,
    renameNamed: (name: Child) => phrase`Rename ${name}`,
    recovery: 'Recovery codes',
    recoveryLeft: (count: number) =>
      count === 0 ? 'None are left.' : count === 1 ? 'One is left.' : `${count} are left.`,
    newCodes: 'Make new recovery codes',
    newCodesNote: 'Those from before then no longer count.',
    getsIn:
      'You are the only one who gets in when your organisation’s sign-in does not work. Ask your administrators to name somebody else first.',
    lastOne: 'This is the last second factor, and you need one here. Set up another before you remove it.',
    unknown: 'This second factor is not there any more.',
    done: {
      removed: 'The second factor was removed.',
      renamed: 'The second factor has its new name.',
      added: 'The second factor is set up.',
      password: 'The password is changed. You are signed out everywhere else.',
    },
    proveHeading: 'Confirm that it is you',
    proveText: 'Prove once more that it is you: it must not be longer ago than ten minutes.',
    proveByKey:
      'Use your passkey, or enter your password and use your security key. It must not be longer ago than ten minutes.',
    back: 'Back',
    password: 'Password',
    wrongPassword: 'This password is wrong.',
    signInFirst: 'Sign in first',
    signInText: 'You are not signed in here, or not any more.',
    signInAgain: 'Sign in',
  },
}
