/* Signs people in by code and PKCE, in a window of its own. Swagger UI keeps the token, in the memory of the page alone. */
'use strict'
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const element = (id) => document.getElementById(id)

/** The sign-in of whoever is signed in, by the button or by the dialog. */
let current

const show = (auth, token) => {
  current = token && { token: token.access_token, clientId: auth.clientId }
  const claims = token?.id_token === undefined ? {} : payloadOf(token.id_token)
  element('sign-in').hidden = current !== undefined || !isOffered()
  element('signed-in').hidden = current === undefined
  element('person').textContent = claims.name ?? ''
  element('context').textContent = [claims.role_name, claims.organisation_name]
    .filter((one) => one !== undefined)
    .join(' · ')
  say('')
}
const payloadOf = (jwt) => {
  const text = atob(jwt.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (one) => one.charCodeAt(0))))
}
const say = (problem) => {
  element('problem').textContent = problem
}

/** Elsewhere than at the issuer, such as at TESSERA_DOCS_URL, a sign-in takes a client that was registered for it. */
const isOffered = () => {
  const { client, redirect } = element('doc').dataset
  return client !== '' && redirectUri() === redirect
}
const redirectUri = () => new URL('doc/oauth2-redirect', location.href).href
const post = (path, form) =>
  fetch(new URL(path, element('doc').dataset.issuer + '/'), {
    method: 'POST',
    body: new URLSearchParams(form),
    keepalive: true,
  })

/** The window is opened in the click itself, or a browser would keep it shut: so the challenge is made beforehand. */
const offerSignIn = async (page) => {
  const { issuer, client, scopes } = element('doc').dataset
  const made = async () => {
    const verifier = random()
    return {
      verifier,
      challenge: base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
    }
  }
  let next = await made()
  const exchange = async (code, verifier) => {
    const answer = await post('oauth2/token', {
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: redirectUri(),
      code,
      code_verifier: verifier,
    })
    const token = await answer.json()
    if (!answer.ok) return say(token.error_description)
    const auth = { name: 'signIn', clientId: client, schema: { type: 'oauth2', flow: 'authorizationCode' } }
    page.authActions.authorizeOauth2({ auth, token })
    element('sign-out').focus()
  }
  element('sign-in').addEventListener('click', () => {
    const { verifier, challenge } = next
    const address = new URL('oauth2/authorize', issuer + '/')
    const state = random()
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: redirectUri(),
      scope: scopes,
      state,
      nonce: random(),
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    // Read by the page where the sign-in ends: see signed-in.js.
    window.swaggerUIRedirectOauth2 = {
      auth: { name: 'signIn' },
      state,
      redirectUrl: redirectUri(),
      callback: ({ auth: { code } }) => exchange(code, verifier),
      errCb: ({ message }) => say(message),
    }
    say('')
    open(address)
    void made().then((another) => (next = another))
  })
  // The session ends too, or the next click would sign the same person in unasked.
  element('sign-out').addEventListener('click', () => {
    const { clientId } = current
    page.authActions.logout(['signIn'])
    const back =
      clientId === client ? { client_id: client, post_logout_redirect_uri: issuer + '/api/doc' } : {}
    location.assign(new URL('oauth2/logout?' + new URLSearchParams(back), issuer + '/'))
  })
  show()
}

// Swagger UI sends no nonce, and a state that can be guessed. Its dialog opens at the last field, and its button to
// close has no name.
const signingIn = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authPopup: (open) => (address, asked) => {
          const url = new URL(address)
          const state = random()
          url.searchParams.set('state', state)
          url.searchParams.set('nonce', random())
          return open(url.href, { ...asked, state })
        },
        showDefinitions: (show) => (ways) => {
          setTimeout(() => {
            document.querySelector('.modal-ux input')?.focus()
            document.querySelector('.modal-ux .close-modal')?.setAttribute('aria-label', 'Close')
          })
          return show(ways)
        },
        authorizeOauth2: (authorize) => (signedIn) => {
          show(signedIn.auth, signedIn.token)
          return authorize(signedIn)
        },
        logout: (forget) => (names) => {
          if (current !== undefined && names.includes('signIn')) {
            post('oauth2/revoke', { client_id: current.clientId, token: current.token }).catch(() => {})
            show()
          }
          return forget(names)
        },
      },
    },
  },
})

// For start.js.
Object.assign(window, { offerSignIn, signingIn })
