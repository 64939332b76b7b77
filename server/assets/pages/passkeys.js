// Asks the browser for a passkey or security key, and sends the answer with the form that it stands in. The page says
// what to ask for: `data-passkeys` is where options come from, `data-ask` of a button what for.
const place = document.querySelector('[data-passkeys]')
if (place !== null && window.PublicKeyCredential !== undefined) offer(place, place.closest('form'))

// What the browser's password manager should know of credentials, where it can be told (WebAuthn Level 3 §5.1.10).
for (const { dataset } of document.querySelectorAll('[data-signal]'))
  window.PublicKeyCredential?.[dataset.signal]?.(JSON.parse(dataset.told)).catch(() => {})

function offer(place, form) {
  const problem = place.querySelector('[role=alert]')
  /** Ends the request that runs: a browser takes one at a time. */
  let running

  async function ask(purpose, mediation) {
    running?.abort()
    const { signal } = (running = new AbortController())
    const body = new URLSearchParams({ csrf: form.elements.csrf.value, purpose })
    const response = await fetch(place.dataset.passkeys, { method: 'POST', body, signal })
    if (!response.ok) throw new Error(`There were no options: ${response.status}`)
    const { challenge_id, options } = await response.json()
    const asked = { publicKey: parsed(options), signal, ...(mediation && { mediation }) }
    const { credentials } = navigator
    const credential = await (options.user ? credentials.create(asked) : credentials.get(asked))
    send(form, { choice: 'credential', purpose, challenge_id, credential: told(credential) })
  }

  /** In the list of the address field. It fails silently, and never while a button's request runs. */
  async function autofill() {
    if (place.dataset.autofill === undefined) return
    try {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
      if (running === undefined) await ask('sign_in', 'conditional')
    } catch {}
  }

  for (const button of place.querySelectorAll('[data-ask]'))
    button.addEventListener('click', async () => {
      // Asked for by the browser, before it makes a passkey in vain.
      if (form.querySelector(':required:invalid')?.reportValidity() === false) return
      problem.hidden = true
      try {
        await ask(button.dataset.ask)
      } catch (error) {
        // Another click has begun another request.
        if (error.name === 'AbortError') return
        problem.textContent = error.name === 'InvalidStateError' ? place.dataset.taken : place.dataset.failed
        problem.hidden = false
        running = undefined
        void autofill()
      }
    })
  place.hidden = false
  void autofill()
}

function send(form, fields) {
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  form.submit()
}

// Not every browser and password manager has parseRequestOptionsFromJSON and toJSON.

function parsed({ challenge, user, allowCredentials, excludeCredentials, ...others }) {
  const named = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }))
  return {
    ...others,
    challenge: bytes(challenge),
    ...(user && { user: { ...user, id: bytes(user.id) } }),
    ...(allowCredentials && { allowCredentials: named(allowCredentials) }),
    ...(excludeCredentials && { excludeCredentials: named(excludeCredentials) }),
  }
}

function told(credential) {
  const { id, rawId, type, response } = credential
  const sent = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'attestationObject']
  const parts = sent.filter((name) => response[name]?.byteLength > 0)
  return JSON.stringify({
    id,
    rawId: text(rawId),
    type,
    response: {
      ...Object.fromEntries(parts.map((name) => [name, text(response[name])])),
      transports: response.getTransports?.(),
    },
    clientExtensionResults: { credProps: credential.getClientExtensionResults().credProps },
  })
}

function bytes(base64url) {
  const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
}

function text(buffer) {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(buffer)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
