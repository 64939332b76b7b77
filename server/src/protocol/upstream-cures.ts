/** What to change where a sign-in through an upstream does not work, and at which side; the pages say it in each language. */
export const upstreamCures = {
  unreachable:
    'Here: check the address of the upstream (issuer, metadata address or directory). At the provider: it has to be reachable from this service, under a public name and with a certificate that counts.',
  documents:
    'Here: compare the issuer, and the address of its metadata, with what the provider says of itself, letter by letter, a tenant and a slash at the end included.',
  client_refused:
    'At the provider: register exactly the callback address of this upstream. Here: set the client id and a secret that counts now; of a directory, the account that searches and its password.',
  denied:
    'At the provider: assign the person, or a group of theirs, to this application, and agree to it for all. Or somebody cancelled: begin again.',
  response:
    'At the provider: compare the callback or ACS address, and let it answer exactly what it was asked. Begin each attempt here, with a new address.',
  signature:
    'At the provider: sign with RS256, PS256 or ES256, or SAML with RSA and SHA-256. Here: take the keys or certificates that it signs with now; metadata that is read from an address renews itself.',
  issuer:
    'Here: compare the issuer with what the provider calls itself. Two tenants or two providers are mixed up.',
  audience:
    'At the provider: the answer is for another application. OpenID Connect: its client id has to be the one that stands here. SAML: its audience has to be the entity id of this upstream.',
  nonce:
    'At the provider: the answer has to repeat the nonce that it was asked with. Begin again; where it stays so, it is no provider of OpenID Connect.',
  expired: 'Set the clocks of both sides. Or it took too long: begin again.',
  replayed: 'The answer was used already. Begin again with a new address.',
  no_subject:
    'At the provider: let it say who somebody is, by sub (Entra: oid and tid), a persistent NameID or the attribute that subject names here.',
  too_old: 'At the provider: sign out there first, and begin again.',
  request_over: 'It took too long, or another browser came back. Begin again with a new address.',
  inactive: 'Here: the organisation is disabled. Enable it.',
  wrong_credentials: 'Check the name and the password in the directory.',
  throttled:
    'There were too many attempts within a short time. Wait for a quarter of an hour, and begin again.',
} as const
