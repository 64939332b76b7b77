/** What a proof of possession is signed by (RFC 9449 §4.2): a subset of what FAPI 2.0 allows. */
export const dpopAlgs = ['ES256', 'PS256', 'EdDSA'] as const

/** Seconds: how old a proof may be, and how far a clock may be ahead of ours. */
export const proofLife = 60
export const proofSkew = 30

/** SHA-256 thumbprint of a key (RFC 7638), base64url. */
export const isThumbprint = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** How a refusal says that a request has to be bound to a key (RFC 9449 §7.1). Descriptions hold no quotes. */
export const dpopChallenge = (code: string, description: string): string =>
  `DPoP error="${code}", error_description="${description}", algs="${dpopAlgs.join(' ')}"`
