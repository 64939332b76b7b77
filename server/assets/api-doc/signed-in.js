/* Where a sign-in at the page ends: its window hands the code to the page that opened it, and closes. */
'use strict'
const { auth, state, redirectUrl, callback, errCb } = opener.swaggerUIRedirectOauth2
const answer = new URLSearchParams(location.search)
const refuse = (message) => errCb({ authId: auth.name, source: 'auth', level: 'error', message })
if (answer.get('state') !== state) refuse('The answer belongs to another sign-in.')
// The page's own object: Swagger UI reads none that was made in another window.
else if (answer.has('code'))
  callback({ auth: Object.assign(auth, { code: answer.get('code') }), redirectUrl })
else refuse(answer.get('error') + ': ' + answer.get('error_description'))
close()
