/** The words of the page that a notice leads to. */
export const notices = {
  notMe: {
    title: 'This was not me',
    heading: 'Was this not you?',
    lead: 'Then somebody else was in your account. Press the button, and this happens at once:',
    undone: {
      address_requested:
        'The other address no longer counts; if it counts already, your address becomes again the one that this mail went to.',
      address_changed:
        'Your address becomes again the one that this mail went to, and second factors become again what they were.',
      factor_created: 'The second factor that was set up is removed.',
      factor_removed: 'The second factor that was removed comes back.',
      recovery_codes_created: 'The new recovery codes no longer count.',
      deletion_requested: 'Your account is not deleted, and counts again.',
      link_created: 'The sign-in that was connected is removed, and what came by it ends.',
    },
    /** The plural. */
    undoneEach: {
      factor_created: 'The second factors that were set up are removed.',
      factor_removed: 'The second factors that were removed come back.',
    },
    later: 'Other changes since then of your address and your second factors are taken back, too.',
    stands: 'What has been set since by an administrator, or by you with a link from a mail, stays as it is.',
    signsOut: 'You are signed out everywhere, in every browser and application.',
    voids: 'Your password becomes void, so that nobody signs in with it. You then set a new one.',
    submit: 'This was not me',
    wasMe: 'If it was you, close this page. Nothing has changed.',
    doneHeading: 'Your account is safe for now',
    done: 'Nobody is signed in to it any more, and the password is void. Set a new one: where you sign in, choose that you forgot it, or ask the people who run this service. Then look at your second factors.',
    endedHeading: 'This link can not be used any more',
    ended:
      'It was used, or it is older than seven days. If somebody else is in your account, set a new password, and ask the people who run this service.',
    account: 'To your account',
  },
}
