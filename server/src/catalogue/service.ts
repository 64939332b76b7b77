import { accessTokenTyps } from '../protocol/access-token-typ.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import { audience, choice, code, longText, text } from './kinds.ts'
import { defined, managedBy } from './thing.ts'

export const service = defined({
  code: { kind: code, set: 'at creation', description: 'What its permissions begin with; never changes.' },
  name: { kind: text(200) },
  description: {
    kind: longText(1000),
    nullable: true,
    description: 'What it is, for whoever gives its permissions to somebody.',
  },
  audience: {
    kind: audience,
    description: 'Stands in `aud` of the access tokens that are meant for it.',
  },
  access_token_alg: {
    kind: choice(...signingAlgs),
    initial: 'RS256',
    tellsInitial: true,
    description:
      'What its access tokens are signed with. One for several services is ES256 when each asks for it.',
  },
  access_token_typ: {
    kind: choice(...accessTokenTyps),
    initial: 'at+jwt',
    tellsInitial: true,
    description:
      'The `typ` of its access tokens. `JWT` is for frameworks that know no `at+jwt`; it then tells them no longer from ID tokens. One for several services is `JWT` when each asks for it.',
  },
  managed_by: managedBy,
})
