import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const en: MailWords = {
  language: 'en',
  greeting: (name) => `Hello ${name},`,
  address: 'If the button does nothing, open this address:',
  footer: (issuer) => `This mail was sent by ${issuer}.`,
  once: (until) => `The link works once, for ${until}.`,
  ignore: 'If this was not you, you need do nothing: without the link nothing changes.',
  facts: { when: 'When', browser: 'Browser', address: 'Network address', application: 'Application' },
  notMe: 'This was not me',
  undo: (until) =>
    `If it was you, there is nothing to do. If not, press the button within ${until}: that undoes it, signs you out everywhere and makes your password void, so that you set a new one.`,
  undoEach: (until) =>
    `If it was you, there is nothing to do. If not, press the button within ${until}: that undoes each of these, signs you out everywhere and makes your password void, so that you set a new one. Then look at your second factors.`,

  test: {
    subject: (service) => `${service}: a test`,
    heading: 'Mail works',
    before: 'Somebody who runs this service sent this to see whether mails arrive. They do.',
  },
  password_reset: {
    subject: 'Set a new password',
    before: 'Somebody asked for a new password for your account.',
    button: 'Set a new password',
  },
  recovery: {
    subject: 'A way back into your account',
    before: 'An administrator lets you set a new password.',
    button: 'Set a new password',
  },
  invitation: {
    subject: (to) => `You are invited to ${to}`,
    before: (inviter) => `${inviter} invites you.`,
    button: 'Accept the invitation',
    unexpected: 'If you expected no invitation, you need do nothing.',
  },
  enrolment_code: {
    subject: 'Your code',
    before: 'Enter this code in the browser where you set up a second factor.',
    counts: (until) => `It counts for ${until}, in that browser alone.`,
    alarm:
      'If you are not signing in at the moment, somebody knows your password: change it. Give the code to nobody.',
  },
  guest_code: {
    before: (name) => `Enter this code in the browser where you sign in through ${name}.`,
    alarm:
      'If you are not signing in at the moment, somebody entered your address: you need do nothing. Give the code to nobody.',
  },
  address_confirmation: {
    subject: 'Confirm your address',
    before: 'Somebody wants this to be the address of their account.',
    button: 'Confirm the address',
  },
  address_taken: {
    subject: 'Somebody wanted to use your address',
    before: [
      'Somebody wanted this to be the address of their account. It is that of yours, so nothing has changed.',
      'If that was you, sign in to the account that you have already.',
    ],
  },
  notices: {
    subject: 'More happened to your account',
    before: 'Much happened within a day, so this is in one mail.',
  },
  headings: {
    new_device: 'A new sign-in to your account',
    password_changed: 'Your password was changed',
    factor_created: 'A second factor was set up',
    factor_removed: 'A second factor was removed',
    factor_suspended: 'A second factor was suspended',
    recovery_codes_created: 'You have new recovery codes',
    recovery_code_used: 'A recovery code was used',
    second_factor_failed: 'Somebody may know your password',
    address_requested: 'Your address is about to change',
    address_changed: 'Your address was changed',
    deletion_requested: 'Your account will be deleted',
    deletion_undone: 'Your account stays',
    link_created: 'Another way to sign in to your account',
    link_removed: 'A way to sign in was removed',
    break_glass_used: 'Somebody got in by break-glass access',
    break_glass_changed: 'Who has break-glass access was changed',
    domain_gained: 'Your organisation has another domain',
    domain_lost: 'Your organisation no longer has a domain',
    sync_stopped: 'An upstream’s people are no longer looked for',
    setup_opened: 'Somebody opened your set-up link',
    setup_handed_in: 'A set-up link was handed in',
  },
  events: {
    new_device: () => 'Somebody signed in to your account in a browser that was not used for it before.',
    password_changed: ({ byAdministrator }) =>
      byAdministrator ? 'An administrator gave your account another password.' : 'Your password was changed.',
    factor_created: ({ name }) => `A second factor was set up for your account: “${name}”.`,
    factor_removed: ({ name, byAdministrator }) =>
      byAdministrator
        ? `An administrator removed a second factor of your account: “${name}”.`
        : `A second factor of your account was removed: “${name}”.`,
    factor_suspended: ({ name }) =>
      `A second factor of your account was suspended: “${name}”. There were too many wrong codes, or there may be a copy of it.`,
    recovery_codes_created: () =>
      'New recovery codes were made for your account. Those from before no longer count.',
    recovery_code_used: () => 'A recovery code of your account was used.',
    second_factor_failed: () =>
      'Somebody entered your password, and then wrong codes several times. They know your password: change it.',
    address_requested: ({ name }) =>
      `Somebody asked that your account gets the address ${name}. It has not changed yet.`,
    address_changed: ({ name }) => `The address of your account is ${name} now.`,
    deletion_requested: () =>
      'You asked for your account to be deleted. It is disabled, and is removed after 14 days.',
    deletion_undone: () => 'Your account is not deleted: that was undone. It counts as before.',
    link_created: ({ name }) =>
      `Your account is connected with ${name}: whoever signs in there can sign in to it.`,
    link_removed: ({ name }) =>
      `Your account is no longer connected with ${name}: nobody signs in to it through that.`,
    break_glass_used: ({ name }) =>
      `${name} signed in without the organisation’s provider, as somebody who may when it does not work. You get this because you administer the organisation or the installation. If you expected no such sign-in, ask them, and disable the account.`,
    break_glass_changed: ({ name }) =>
      `The people who get in when the organisation’s provider does not work were changed. They are now: ${name}.`,
    domain_gained: ({ name }) =>
      `The domain ${name} has come to your organisation from another one: its record in the DNS names yours now. Who signs in with an address there comes to your upstream.`,
    domain_lost: ({ name }) =>
      `The domain ${name} belongs to another organisation from now on: its record in the DNS names that one, and yours is gone. Those who were connected stay so, and nobody new is. If that is not meant to be, ask whoever keeps the DNS of the domain.`,
    sync_stopped: ({ name }) =>
      `The hourly look for people who have left ${name} was stopped: it failed, or far more of them are gone than usual. Nobody was ended by it, and nobody who leaves is, until it succeeds. The upstream says what is wrong: tessera attention, or the console.`,
    setup_opened: ({ name }) =>
      `Somebody began by the set-up link that you made for ${name}. It counts in their browser alone from now on. If it should not be them, withdraw it.`,
    setup_handed_in: ({ name }) =>
      `What was entered by the set-up link that you made for ${name} was handed in. Nothing of it counts before somebody who may looks at it and confirms it: in the console, or by tessera upstream confirm.`,
  },
}
