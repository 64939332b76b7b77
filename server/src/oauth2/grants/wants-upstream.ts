import { ProtocolError } from '../../protocol/errors.ts'

/** The profile's organisation wants a sign-in through its own upstream by now. */
export const wantsUpstream = (code: 'invalid_grant' | 'interaction_required'): ProtocolError =>
  new ProtocolError(
    code,
    'The organisation of the profile asks its people to sign in through its own provider: send the person to the authorization endpoint.',
  )
