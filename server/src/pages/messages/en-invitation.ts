import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words of invitations. */
export const invitation = {
  title: 'Invitation',
  heading: 'You are invited',
  joinHeading: 'Create your account',
  lead: 'You are invited to join.',
  leadOrganisation: (organisation: Child) => phrase`${organisation} invites you.`,
  leadClient: (client: Child) => phrase`You are invited to use ${client}.`,
  leadBoth: (organisation: Child, client: Child) => phrase`${organisation} invites you to use ${client}.`,
  offers: 'What you get',
  email: 'Your e-mail address',
  join: 'Create account',
  byPasskey: 'Use a passkey instead',
  known: (account: Child) =>
    phrase`There is an account for ${account} already. Sign in to it, then choose what you accept.`,
  signIn: 'Sign in',
  choose: 'What you accept',
  accept: 'Accept',
  decline: 'Decline',
  otherHeading: 'This invitation is for somebody else',
  other: (account: Child, invited: Child) =>
    phrase`You are signed in as ${account}. The invitation is for ${invited}.`,
  switch: 'Sign out and go on',
  expiredHeading: 'This invitation has expired',
  expired: 'It could be accepted for seven days. Nothing was changed.',
  askThem: 'Ask whoever invited you to send it again.',
  again: (account: Child) => phrase`Another link can be sent to ${account}.`,
  sendAgain: 'Send another link',
  sentHeading: 'Look into your mailbox',
  sent: (account: Child) => phrase`Another link is on its way to ${account}. It can be used for seven days.`,
  acceptedTitle: 'Thank you for your answer',
  ownPassword:
    'Nobody has shown yet that this account is yours. So choose a password of your own with it: all that others may know or have set up ends, and you stay signed in here alone.',
  waits:
    'What you accepted counts once you have set a new password by a link that is mailed to you: nobody has shown yet that this account is yours.',
  sendLink: 'Send me the link',
  accepted: 'To go on, open the application that you want to use and sign in there.',
  acceptedFor: (client: Child) => phrase`You can use ${client} now.`,
  goOn: (client: Child) => phrase`Go on to ${client}`,
  secure: 'Set up a passkey or a second factor',
}
