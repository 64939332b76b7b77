import { hash } from 'node:crypto'

const challengePattern = /^[A-Za-z0-9_-]{43}$/
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/

/** Whether the text can be an S256 code_challenge: BASE64URL of 32 bytes (RFC 7636 §4.2). */
export function isCodeChallenge(challenge: string): boolean {
  return challengePattern.test(challenge)
}

/** Whether BASE64URL(SHA256(verifier)) is the challenge (RFC 7636 §4.6). A malformed verifier never matches. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  // The challenge is no secret, so the comparison needn't take constant time.
  return verifierPattern.test(verifier) && hash('sha256', verifier, 'base64url') === challenge
}
