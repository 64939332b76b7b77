export const preview = {
  lead: 'What the application would be told if somebody signed in now. Nothing is issued or kept.',
  leadMachine:
    'What its next access token would say. Nobody signs in with a machine, so there is nobody to choose.',
  person: 'Person',
  profile: 'Profile',
  choose: 'Choose a person',
  chooseHow: 'The claims depend on who signs in, and under which profile.',
  noProfile: 'They have no profile, so they can’t sign in.',
  documents: { id_token: 'ID token', access_token: 'Access token', userinfo: 'Userinfo' },
  claim: 'Claim',
  value: 'Value',
  source: 'From',
  absent: (count: number) => (count === 1 ? '1 claim is absent' : `${count} claims are absent`),
  plain:
    'It does not ask for openid (plain OAuth 2.0): there is no ID token, and userinfo refuses the access token.',
  partly: 'It says more, by permissions that you do not hold.',
}
