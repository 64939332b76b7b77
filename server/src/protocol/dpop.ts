/** What a proof of possession is signed by (RFC 9449 §4.2): a subset of what FAPI 2.0 allows. */
export const dpopAlgs = ['ES256', 'PS256', 'EdDSA'] as const

/** SHA-256 thumbprint of a key (RFC 7638), base64url. */
export const isThumbprint = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** How a refusal says that a request has to be bound to a key (RFC 9449 §7.1). Descriptions hold no quotes. */
export const dpopChallenge = (code: string, description: string): string =>
  `DPoP error="${code}", error_description="${description}", algs="${dpopAlgs.join(' ')}"`
