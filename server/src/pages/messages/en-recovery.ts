import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words of a password that is set anew. */
export const recovery = {
  forgotten: {
    link: 'Forgotten your password?',
    title: 'Forgotten password',
    heading: 'Set a new password',
    text: 'Enter the e-mail address that you sign in with. You get a mail with a link by which you set a new password.',
    submit: 'Send the link',
    sentHeading: 'Look at your mail',
    sent: (email: Child) =>
      phrase`If there is an account with ${email}, a mail with a link is on its way to it.`,
    good: 'The link is good once, for half an hour.',
    goesOn:
      'The link is good once, for half an hour. Open it in this browser, and the sign-in goes on where it was.',
    nothing: (again: Child) =>
      phrase`Is there no mail? Look at what was sorted out as spam, compare the address, or ${again}.`,
    again: 'have it sent once more',
    back: 'Back to the sign-in',
  },
  reset: {
    title: 'Set a new password',
    heading: 'Set a new password',
    lead: (account: Child) => phrase`for the account of ${account}`,
    ends: 'You are then signed in here, and signed out everywhere else.',
    factorLead: (account: Child) =>
      phrase`Before a new password is set for ${account}, show by your second factor that it is you.`,
    lost: 'Without your second factor and its recovery codes, ask the people who run this service.',
    password: 'New password',
    again: 'The new password again',
    submit: 'Set the password',
    waysTitle: 'Choose how you sign in',
    passkeyText:
      'A passkey is kept by this device or your password manager. You sign in by your finger, your face or a PIN, and there is nothing to remember.',
    orPassword: 'Or set a password',
  },
  resetEnded: {
    title: 'This link has ended',
    heading: 'This link has ended',
    text: 'A link to set a password is good once and for a short time, and only the newest one counts.',
    ask: 'Ask the people who run this service for another one.',
    again: 'Have a new link sent',
  },
  newPassword: {
    title: 'Choose your password',
    heading: 'Choose your password',
    lead: (client: Child) => phrase`before you continue to ${client}`,
    text: 'Somebody else has set the password that you have now. Choose one that you alone know.',
    same: 'This is the password that you have now. Choose another one.',
  },
}
